/**
 * Header fields in their order on the wire: name, value, name, value, … Names may occur several times. Values are byte
 * strings (latin1), as in Node.
 */
export type HeaderList = string[];
