/// Types: created by the host before any VM, never changed, and not part of a VM: a VM has its own
/// shapes (shapes.c), which have the numbers of types.

#include "state/types.h"

#include <stdlib.h>
#include <string.h>

// MARK: Making them

latch_types *latch_types_new(size_t count) {
  latch_types *types = calloc(1, sizeof *types);
  if (types == NULL) return NULL;
  types->types = calloc(count, sizeof *types->types);
  types->count = (uint32_t)count;
  if (types->types == NULL) {
    free(types);
    return NULL;
  }
  return types;
}

void latch_types_free(latch_types *types) {
  if (types == NULL) return;
  for (uint32_t i = 0; i < types->count; i++) {
    latch_type *type = &types->types[i];
    for (uint32_t choice = 0; choice < type->choice_count; choice++) {
      if (type->choices[choice].tag == LATCH_TAG_STRING) free((char *)type->choices[choice].text);
    }
    for (uint32_t field = 0; field < type->field_count; field++) free(type->fields[field].name);
    free(type->choices);
    free(type->fields);
    free(type->pattern);
    free(type->begins);
  }
  free(types->types);
  free(types);
}

/// A copy of the bytes with a zero at its end; NULL if memory runs out.
static char *copy_of(latch_bytes bytes) {
  char *copy = malloc(bytes.length + 1);
  if (copy == NULL) return NULL;
  if (bytes.length > 0) memcpy(copy, bytes.bytes, bytes.length);
  copy[bytes.length] = 0;
  return copy;
}

/// Reads one encoded value that is not a table; text is copied.
static bool read_scalar(latch_bytes bytes, latch_scalar *scalar) {
  const uint8_t *cursor = bytes.bytes, *end = cursor + bytes.length;
  if (cursor == end) return false;
  *scalar = (latch_scalar){{0}, 0, *cursor++};
  if (scalar->tag == LATCH_TAG_INTEGER || scalar->tag == LATCH_TAG_NUMBER) {
    if (end - cursor < 8) return false;
    for (int i = 0; i < 8; i++) scalar->word |= (uint64_t)cursor[i] << (8 * i);
    return true;
  }
  if (scalar->tag != LATCH_TAG_STRING) return scalar->tag <= LATCH_TAG_STRING;
  uint64_t length = 0;
  for (int shift = 0; cursor < end && shift < 63; shift += 7) {
    uint8_t byte = *cursor++;
    length |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) break;
  }
  if (length != (uint64_t)(end - cursor) || length > UINT32_MAX) return false;
  scalar->length = (uint32_t)length;
  scalar->text = copy_of((latch_bytes){cursor, (size_t)length});
  return scalar->text != NULL;
}

static bool take_choices(latch_type *type, const latch_type_spec *spec) {
  type->choices = calloc(spec->choice_count + 1, sizeof *type->choices);
  if (type->choices == NULL) return false;
  for (size_t i = 0; i < spec->choice_count; i++) {
    if (!read_scalar(spec->choices[i], &type->choices[i])) return false;
    type->choice_count++;
  }
  return true;
}

static bool take_fields(latch_type *type, const latch_type_spec *spec) {
  type->fields = calloc(spec->field_count + 1, sizeof *type->fields);
  if (type->fields == NULL) return false;
  for (size_t i = 0; i < spec->field_count; i++) {
    const latch_field_spec *field = &spec->fields[i];
    char *name = copy_of(field->name);
    if (name == NULL) return false;
    type->fields[i] = (latch_type_field){
      name, (uint32_t)field->name.length, field->type, field->may_be_nil, field->is_machines};
    type->field_count++;
  }
  return true;
}

bool latch_types_set(latch_types *types, uint32_t number, const latch_type_spec *spec) {
  latch_type *type = &types->types[number];
  type->kind = spec->kind;
  type->is_place = spec->is_place;
  type->is_secret = spec->is_secret;
  type->min_length = spec->min_length;
  type->max_length = spec->max_length;
  type->element = spec->element;
  type->key = spec->key;
  type->has_min = spec->min.length > 0;
  type->has_max = spec->max.length > 0;
  if (type->has_min && !read_scalar(spec->min, &type->min)) return false;
  if (type->has_max && !read_scalar(spec->max, &type->max)) return false;
  if (spec->pattern.length > 0) {
    type->pattern = copy_of(spec->pattern);
    type->pattern_length = spec->pattern.length;
    if (type->pattern == NULL) return false;
  }
  if (spec->begins.length > 0) {
    type->begins = (uint8_t *)copy_of(spec->begins);
    type->begins_length = spec->begins.length;
    if (type->begins == NULL) return false;
  }
  return take_choices(type, spec) && take_fields(type, spec);
}

void latch_set_types(latch_vm *vm, const latch_types *types, uint32_t root) {
  vm->types = types;
  vm->root_type = root;
}

// MARK: Asking

const char *latch_type_word(const latch_vm *vm, uint32_t type) {
  static const char *const WORDS[] = {
    [LATCH_TYPE_ANY] = "optional(any)",
    [LATCH_TYPE_BOOLEAN] = "optional(boolean)",
    [LATCH_TYPE_INTEGER] = "optional(integer)",
    [LATCH_TYPE_NUMBER] = "optional(number)",
    [LATCH_TYPE_STRING] = "optional(string)",
    [LATCH_TYPE_ONE_OF] = "optional(one_of { ... })",
    [LATCH_TYPE_LIST] = "optional(list_of(...))",
    [LATCH_TYPE_MAP] = "optional(map_of(...))",
    [LATCH_TYPE_RECORD] = "optional { ... }",
  };
  return type == 0 ? "none" : WORDS[latch_type_numbered(vm, type)->kind];
}

static double number_of(latch_scalar scalar) {
  double number;
  memcpy(&number, &scalar.word, sizeof number);
  return number;
}

static bool is_less(latch_scalar a, latch_scalar b) {
  bool both = a.tag == LATCH_TAG_INTEGER && b.tag == LATCH_TAG_INTEGER;
  if (both) return (int64_t)a.word < (int64_t)b.word;
  double first = a.tag == LATCH_TAG_INTEGER ? (double)(int64_t)a.word : number_of(a);
  double second = b.tag == LATCH_TAG_INTEGER ? (double)(int64_t)b.word : number_of(b);
  return first < second;
}

static bool is_within(const latch_type *type, latch_scalar value) {
  return !(type->has_min && is_less(value, type->min)) &&
         !(type->has_max && is_less(type->max, value));
}

/// True if the text's length in characters fits the type. Counts the bytes that begin a character.
static bool has_length(const latch_type *type, latch_scalar value) {
  if (type->min_length == 0 && value.length <= type->max_length) return true;
  uint32_t characters = 0;
  for (uint32_t i = 0; i < value.length; i++) characters += (value.text[i] & 0xc0) != 0x80;
  return characters >= type->min_length && characters <= type->max_length;
}

static bool is_equal(latch_scalar a, latch_scalar b) {
  bool numbers = (a.tag == LATCH_TAG_INTEGER || a.tag == LATCH_TAG_NUMBER) &&
                 (b.tag == LATCH_TAG_INTEGER || b.tag == LATCH_TAG_NUMBER);
  if (numbers && a.tag != b.tag) return !is_less(a, b) && !is_less(b, a);
  if (a.tag != LATCH_TAG_STRING || b.tag != LATCH_TAG_STRING) return latch_scalar_equals(a, b);
  return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

/// Converts a float that is a whole number to an integer.
static bool whole_number(latch_scalar value, latch_scalar *whole) {
  double number = number_of(value);
  if (!(number >= -0x1p63 && number < 0x1p63) || (double)(int64_t)number != number) return false;
  *whole = (latch_scalar){{(uint64_t)(int64_t)number}, 0, LATCH_TAG_INTEGER};
  return true;
}

static latch_fit fit_if(bool fits) { return fits ? LATCH_FITS : LATCH_FITS_NOT; }

static latch_fit fit_of_integer(const latch_type *type, latch_scalar value, latch_scalar *other) {
  if (value.tag == LATCH_TAG_INTEGER) return fit_if(is_within(type, value));
  if (value.tag != LATCH_TAG_NUMBER || !whole_number(value, other)) return LATCH_FITS_NOT;
  return is_within(type, *other) ? LATCH_FITS_OTHERWISE : LATCH_FITS_NOT;
}

static bool is_finite(latch_scalar value) {
  if (value.tag == LATCH_TAG_INTEGER) return true;
  if (value.tag != LATCH_TAG_NUMBER) return false;
  double number = number_of(value);
  return number - number == 0;
}

static latch_fit fit_of_choice(const latch_type *type, latch_scalar value, latch_scalar *other) {
  for (uint32_t i = 0; i < type->choice_count; i++) {
    if (!is_equal(type->choices[i], value)) continue;
    *other = type->choices[i];
    return other->tag == value.tag ? LATCH_FITS : LATCH_FITS_OTHERWISE;
  }
  return LATCH_FITS_NOT;
}

latch_fit latch_fit_of(const latch_type *type, latch_scalar value, latch_scalar *other) {
  switch (type->kind) {
    case LATCH_TYPE_ANY: return LATCH_FITS;
    case LATCH_TYPE_BOOLEAN:
      return fit_if(value.tag == LATCH_TAG_FALSE || value.tag == LATCH_TAG_TRUE);
    case LATCH_TYPE_INTEGER: return fit_of_integer(type, value, other);
    case LATCH_TYPE_NUMBER: return fit_if(is_finite(value) && is_within(type, value));
    case LATCH_TYPE_STRING:
      if (value.tag != LATCH_TAG_STRING || !has_length(type, value)) return LATCH_FITS_NOT;
      return type->pattern == NULL ? LATCH_FITS : LATCH_FITS_PERHAPS;
    case LATCH_TYPE_ONE_OF: return fit_of_choice(type, value, other);
    default: return LATCH_FITS_NOT;
  }
}
