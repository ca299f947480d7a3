/**
 * Header fields in the order of the wire: name, value, name, value, … Names may repeat. Values are byte strings (latin1), as
 * Node takes and gives them.
 */
export type HeaderList = string[];
