/// The layout: the places of slots within the words of a state.
///
/// Invariant: a slot lies within one word. A layout has as few words as possible. Free bits are
/// given to slots, one each, so that a domain can double before states are repacked.

#include <stdlib.h>
#include <string.h>

#include "parts.h"

enum { EXPLORE_WORD = 64, EXPLORE_WIDEST = 32 };

uint32_t explore_width(uint32_t values) {
  uint32_t width = 0;
  while (width < EXPLORE_WIDEST && ((uint64_t)1 << width) < values) width++;
  return width;
}

static uint32_t width_of(const explore *search, uint32_t slot) {
  return explore_width(search->domains[search->slots[slot]]);
}

bool explore_layout_fits(const explore *search) {
  if (!search->is_unsettled) return true;
  if (search->layout.count < search->slot_count) return false;
  for (uint32_t slot = 0; slot < search->slot_count; slot++) {
    if (search->layout.places[slot].width < width_of(search, slot)) return false;
  }
  return true;
}

void explore_layout_free(explore *search, explore_layout *layout) {
  explore_resize(
    search, EXPLORE_OF_TRIES, &layout->places, layout->count * sizeof *layout->places, 0);
  explore_resize(search, EXPLORE_OF_TRIES, &layout->filled, layout->words, 0);
  *layout = (explore_layout){0};
}

static bool has_room_for(const explore_layout *layout, uint32_t word, uint32_t width) {
  return layout->filled[word] + width <= EXPLORE_WORD;
}

static void put_into(explore_layout *layout, uint32_t slot, uint32_t word, uint32_t width) {
  uint8_t *filled = &layout->filled[word];
  // A slot without bits must not be shifted by a whole word.
  uint8_t shift = *filled < EXPLORE_WORD ? *filled : 0;
  layout->places[slot] = (explore_place){word, shift, (uint8_t)width};
  *filled += (uint8_t)width;
}

bool explore_layout_extend(explore *search, bool *has_memory) {
  explore_layout *layout = &search->layout;
  *has_memory = true;
  for (uint32_t slot = 0; slot < layout->count; slot++) {
    if (layout->places[slot].width < width_of(search, slot)) return false;
  }
  if (layout->words == 0) return false;
  uint32_t old = layout->count, count = search->slot_count, word = 0;
  size_t each = sizeof *layout->places;
  *has_memory = explore_resize(search, EXPLORE_OF_TRIES, &layout->places, old * each, count * each);
  if (!*has_memory) return false;
  layout->count = count;
  if (count > old) memset(layout->places + old, 0, (count - old) * each);
  for (uint32_t slot = old; slot < count; slot++) {
    uint32_t width = width_of(search, slot);
    while (word < layout->words && !has_room_for(layout, word, width)) word++;
    if (word == layout->words) return false;
    put_into(layout, slot, word, width + (has_room_for(layout, word, width + 1) ? 1 : 0));
  }
  return true;
}

/// Returns the number of words if each slot, the widest first, goes into the first word with room.
static uint32_t count_words(
  const explore *search, const uint32_t *order, uint32_t count, uint8_t *filled) {
  uint32_t words = 1, first = 0;
  filled[0] = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t width = width_of(search, order[i]), word = first;
    while (word < words && filled[word] + width > EXPLORE_WORD) word++;
    if (word == words) filled[words++] = 0;
    filled[word] += (uint8_t)width;
    while (first < words && filled[first] == EXPLORE_WORD) first++;
  }
  return words;
}

/// Puts each slot into the emptiest word, so that all words have free bits. Returns false if the
/// words are too few for that.
static bool spread(
  const explore *search, explore_layout *layout, const uint32_t *order, uint32_t *word_of) {
  memset(layout->filled, 0, layout->words);
  for (uint32_t i = 0; i < search->slot_count; i++) {
    uint32_t width = width_of(search, order[i]), best = 0;
    for (uint32_t word = 1; word < layout->words; word++) {
      if (layout->filled[word] < layout->filled[best]) best = word;
    }
    if (!has_room_for(layout, best, width)) return false;
    word_of[order[i]] = best;
    layout->filled[best] += (uint8_t)width;
  }
  return true;
}

static void fill_first(
  const explore *search, explore_layout *layout, const uint32_t *order, uint32_t *word_of) {
  memset(layout->filled, 0, layout->words);
  for (uint32_t i = 0; i < search->slot_count; i++) {
    uint32_t width = width_of(search, order[i]), word = 0;
    while (!has_room_for(layout, word, width)) word++;
    word_of[order[i]] = word;
    layout->filled[word] += (uint8_t)width;
  }
}

/// Gives each slot its bits within its word, and one more if the word has free bits.
static void place(const explore *search, explore_layout *layout, const uint32_t *word_of,
  const uint8_t *taken, uint8_t *left) {
  for (uint32_t word = 0; word < layout->words; word++) left[word] = EXPLORE_WORD - taken[word];
  uint8_t *filled = layout->filled;
  memset(filled, 0, layout->words);
  for (uint32_t slot = 0; slot < search->slot_count; slot++) {
    uint32_t width = width_of(search, slot), word = word_of[slot];
    bool is_roomy = left[word] > 0 && width < EXPLORE_WIDEST;
    if (is_roomy) left[word]--;
    put_into(layout, slot, word, width + is_roomy);
  }
}

static void sort_by_width(const explore *search, uint32_t *order) {
  uint32_t at = 0;
  for (uint32_t width = EXPLORE_WIDEST + 1; width-- > 0;) {
    for (uint32_t slot = 0; slot < search->slot_count; slot++) {
      if (width_of(search, slot) == width) order[at++] = slot;
    }
  }
}

bool explore_layout_make(explore *search, explore_layout *layout) {
  uint32_t count = search->slot_count;
  *layout = (explore_layout){0};
  uint32_t *order = malloc((count + 1) * 2 * sizeof *order), *word_of = order + count + 1;
  uint8_t *filled = malloc(2 * (size_t)(count + 1));
  bool is_made = order != NULL && filled != NULL;
  if (is_made) {
    sort_by_width(search, order);
    uint32_t words = count_words(search, order, count, filled);
    is_made = explore_resize(search, EXPLORE_OF_TRIES, &layout->filled, 0, words);
    if (is_made) layout->words = words;
  }
  if (is_made && count > 0) {
    is_made =
      explore_resize(search, EXPLORE_OF_TRIES, &layout->places, 0, count * sizeof *layout->places);
    if (is_made) layout->count = count;
  }
  if (is_made) {
    if (!spread(search, layout, order, word_of)) fill_first(search, layout, order, word_of);
    memcpy(filled, layout->filled, layout->words);
    place(search, layout, word_of, filled, filled + count + 1);
  }
  free(order);
  free(filled);
  if (!is_made) explore_layout_free(search, layout);
  return is_made;
}
