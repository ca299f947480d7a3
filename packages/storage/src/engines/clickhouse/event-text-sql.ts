import { attributeTuples, separatorPosition } from "./attribute-text-sql.ts";

// SQL expressions on `event_text`. `attribute-list.ts` of `wire/rows` describes its format: FD, time, FC, name
// and attribute list for each event, and FC with the number of dropped attributes, if any.

/**
 * Name of the column. Searches for event attributes use it in the same way as searches for span attributes use
 * `attribute_text`.
 */
export const eventText = "event_text";

/** All attributes of all events as an array of texts: key, FE, letter, value. */
export const eventElements = `arrayFilter(e -> ${separatorPosition("e", "'\\xFE'")} > 0, splitByChar('\\xFF', ${eventText}))`;

/** The events as an array of texts, each without its leading mark. */
const texts = `arraySlice(splitByChar('\\xFD', ${eventText}), 2)`;

/** The fields of the event `e`: time, name with attributes, and the number of dropped attributes unless it is 0. */
const fields = "splitByChar('\\xFC', e)";

/**
 * Position in `f` at which the attributes begin. The variable `f` is the name of an event followed by its attributes.
 */
const firstMark = separatorPosition("f", "'\\xFF'");
/** The attribute list of `f`. */
const list = `substring(f, if(${firstMark} = 0, length(f) + 1, ${firstMark}))`;

export const eventNames = `arrayMap(e -> splitByChar('\\xFF', ${fields}[2])[1], ${texts})`;

/** Times of the events in nanoseconds since the Unix epoch. */
export const eventTimes = `arrayMap(e -> toInt64(${fields}[1]), ${texts})`;

/** For each event, an array of its attributes as tuples of key, type name and value. */
export const eventAttributes = `arrayMap(f -> ${attributeTuples(list)}, arrayMap(e -> ${fields}[2], ${texts}))`;

// SQL expressions on `scope_text`. `scope-text.ts` of `wire/rows` describes its format: name, version and
// schema URL of the scope, and the schema URL of the resource, separated by FF.

/** The four texts, as an array. */
const scopeTexts = "splitByChar('\\xFF', scope_text)";

/** Name of the instrumentation scope. */
export const scopeName = `${scopeTexts}[1]`;
/** SQL for the version of the scope. */
export const scopeVersion = `${scopeTexts}[2]`;
