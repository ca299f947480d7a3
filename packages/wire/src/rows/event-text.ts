// The events of a span are one byte string, so they need one column. Without events the string is empty. Otherwise each
// event, in the sender's order, is
//
// 0xFD, nanoseconds since the Unix epoch in decimal, 0xFC, name in UTF-8, attribute list (see
// `attribute-list.ts`)
//
// and, if attributes were dropped, 0xFC with the number of dropped attributes in decimal.
//
// UTF-8 has none of these bytes, nor the marks of attribute lists, so nothing is escaped.

/** Begins every event. */
export const eventMark = 0xfd;

/** Follows the time of an event, and precedes the number of its dropped attributes. */
export const fieldMark = 0xfc;
