import { attributeTuples } from "./attribute-text-sql.ts";
import { placeOfMark } from "./place-of-mark.ts";

// Expressions on `event_text`. What it holds is said in `event-text.ts` of `wire/rows`: FD, time, FC, name and attribute list for
// each event, and FC and how many attributes were dropped where any were.

/** The column. An attribute of an event is looked for in it as those of spans are in theirs. */
export const eventText = "event_text";

/** All attributes of events, each a text: key, FE, letter, value. */
export const eventElements = `arrayFilter(e -> ${placeOfMark("e", "'\\xFE'")} > 0, splitByChar('\\xFF', ${eventText}))`;

/** The events, each a text without its mark. */
const texts = `arraySlice(splitByChar('\\xFD', ${eventText}), 2)`;

/** Of the event `e`: time; name and attributes; the count of those that were dropped, where that is not 0. */
const fields = "splitByChar('\\xFC', e)";

/** In `f`, the name and attributes of an event: where the attributes begin. */
const firstMark = placeOfMark("f", "'\\xFF'");
/** Of `f`: the attributes, as an attribute list. */
const list = `substring(f, if(${firstMark} = 0, length(f) + 1, ${firstMark}))`;

/** The names of events. */
export const eventNames = `arrayMap(e -> splitByChar('\\xFF', ${fields}[2])[1], ${texts})`;

/** The times of events, in nanoseconds since the Unix epoch. */
export const eventTimes = `arrayMap(e -> toInt64(${fields}[1]), ${texts})`;

/** Of each event: an array of its attributes, which are tuples of key, name of the type and value. */
export const eventAttributes = `arrayMap(f -> ${attributeTuples(list)}, arrayMap(e -> ${fields}[2], ${texts}))`;
