/// The types of the state's declaration, which all hosts of a flow share.

#ifndef LATCH_TYPES_H
#define LATCH_TYPES_H

#include "run/run.h"
#include "state/scalars.h"

typedef struct {
  char *name;
  uint32_t length;
  uint32_t type;
  bool may_be_nil, is_machines;
} latch_type_field;

typedef struct {
  latch_type_kind kind;
  bool is_place;   ///< a record of which there is only one place
  bool is_secret;  ///< its values are never shown
  bool has_min, has_max;
  latch_scalar min, max;
  uint32_t min_length, max_length;
  uint32_t element, key;
  char *pattern;
  size_t pattern_length;
  latch_scalar *choices;
  uint32_t choice_count;
  latch_type_field *fields;
  uint32_t field_count;
  uint8_t *begins;  ///< its default value, encoded
  size_t begins_length;
} latch_type;

struct latch_types {
  latch_type *types;  ///< number 0 allows any value
  uint32_t count;
};

/// The slots of a shape: the fields of a record, its path, and the shapes of records that are only
/// there.
enum { LATCH_SHAPE_FIELDS = 1, LATCH_SHAPE_PATH, LATCH_SHAPE_CHILDREN };

/// How a field may be used, in a shape; the higher bits are the number of the field's type.
enum { LATCH_FIELD_ALWAYS = 1, LATCH_FIELD_OPTIONAL = 2, LATCH_FIELD_MACHINE = 4 };
enum { LATCH_FIELD_BITS = 4 };
static inline lua_Integer latch_field_use(lua_Integer said) {
  return said & ((1 << LATCH_FIELD_BITS) - 1);
}

static inline const latch_type *latch_type_numbered(const latch_vm *vm, uint32_t number) {
  return &vm->types->types[number];
}

/// The number of the data's own type, 0 if it has none.
static inline uint32_t latch_type_of_data(const void *data) {
  const void *metatable = latch_metatable_of(data);
  if (metatable == NULL) return 0;
  const latch_cell *cell = latch_element_cell(metatable, LATCH_SHAPE_TYPE);
  return cell != NULL && cell->type == LATCH_CELL_INTEGER
           ? (uint32_t)(cell->integer >> LATCH_TYPED_BITS)
           : 0;
}

/// True if data of that type has keys that are never shown.
static inline bool latch_hides_keys(const latch_vm *vm, uint32_t number) {
  const latch_type *type = latch_type_numbered(vm, number);
  return type->key != 0 ? latch_type_numbered(vm, type->key)->is_secret
                        : type->kind == LATCH_TYPE_MAP && type->is_secret;
}

/// Returns true if a map of that type has integer keys; otherwise its keys are texts.
static inline bool latch_has_integer_keys(const latch_vm *vm, const latch_type *type) {
  if (type->kind != LATCH_TYPE_MAP || type->key == 0) return false;
  const latch_type *key = latch_type_numbered(vm, type->key);
  if (key->kind != LATCH_TYPE_ONE_OF) return key->kind == LATCH_TYPE_INTEGER;
  return key->choice_count > 0 && key->choices[0].tag == LATCH_TAG_INTEGER;
}

/// The number of the type of values under that key in this data, 0 for any value.
static inline uint32_t latch_type_at(const latch_vm *vm, const void *data, const latch_cell *key) {
  uint32_t number = vm->types == NULL ? 0 : latch_type_of_data(data);
  if (number == 0) return 0;
  const latch_type *type = latch_type_numbered(vm, number);
  if (type->kind != LATCH_TYPE_RECORD) return type->element;
  if (key->type != LATCH_CELL_SHORT_TEXT) return 0;  // the names of fields are short
  const void *fields = latch_element_cell(latch_metatable_of(data), LATCH_SHAPE_FIELDS)->object;
  const latch_cell *use = latch_field_cell(fields, key->object);
  return use == NULL ? 0 : (uint32_t)(use->integer >> LATCH_FIELD_BITS);
}

/// The word with which a field of that type would be declared to allow it to be empty.
const char *latch_type_word(const latch_vm *vm, uint32_t type);

/// The result of checking a value against a type.
typedef enum {
  LATCH_FITS,
  LATCH_FITS_OTHERWISE,  ///< it is converted to another value
  LATCH_FITS_NOT,
  LATCH_FITS_PERHAPS,  ///< its pattern must be checked
} latch_fit;

/// Checks a value that is not a table against a type that is not one of tables. `*other` is the
/// value that it is converted to.
latch_fit latch_fit_of(const latch_type *type, latch_scalar value, latch_scalar *other);

/// True if a table fits the type: a type of tables, or any.
static inline bool latch_takes_tables(const latch_type *type) {
  return type->kind == LATCH_TYPE_ANY || type->kind >= LATCH_TYPE_LIST;
}

#endif
