/**
 * Pattern for the `ot=…` entry of a `tracestate` before its threshold. It must agree with the patterns of
 * `adjustedCount` in `wire/model`.
 */
const beforeThreshold = "(?:^|,)[ \\\\t]*ot=(?:[^,]*;)?th:";
const hasThreshold = `trace_state != '' AND match(trace_state, '${beforeThreshold}[0-9a-f]')`;
const digits = `extract(trace_state, '${beforeThreshold}([0-9a-f]{1,14})[ \\\\t]*(?:[;,]|$)')`;

const allTraces = "72057594037927936";
const noParent = "toFixedString('', 8)";

/** The threshold is a big-endian number of 7 bytes. */
const threshold = `reinterpretAsUInt64(reverse(unhex(rightPad(${digits}, 14, '0'))))`;
const countByThreshold = `if(${digits} = '', 0, ${allTraces} / (${allTraces} - ${threshold}))`;

/**
 * Names of tags that contain a sampling probability, with the mark that follows a name in an attribute text. The letter
 * of the type follows the mark.
 */
const samplerTags = [
  "sampling.probability",
  "sampler.type",
  "sampler.param",
  "jaeger.sampler.type",
  "jaeger.sampler.param",
]
  .map((name) => `'${name}\\xFE'`)
  .join(", ");
const valuesOfTags = `arrayMap(tag -> substring(arrayFirst(each -> startsWith(each, tag), splitByChar('\\xFF', attribute_text)), length(tag) + 2), [${samplerTags}])`;
const typeAndParam = (type: string, param: string) =>
  `${type} = 'probabilistic', ${param}, ${type} = 'const', if(${param} = 'true', '1', '')`;
const countByTags = `arrayMap(tags -> 1 / toFloat64OrZero(multiIf(tags[1] != '', tags[1], ${typeAndParam("tags[2]", "tags[3]")}, ${typeAndParam("tags[4]", "tags[5]")}, '')), [${valuesOfTags}])[1]`;

/** Rounds to four digits. Results that are not a count become 0, such as infinity for the probability 0. */
function inFourDigits(count: string): string {
  return `arrayMap(c -> if(c >= 1 AND c < 1e300, round(c, 3 - toInt8(floor(log10(c)))), 0), [${count}])[1]`;
}

/**
 * Number of original spans that a row of `spans` with a parent represents, as Float64; 0 when the number is unknown.
 * For a span without `tracestate` the expression costs one comparison.
 */
export const adjustedCountOfChildSql = inFourDigits(`if(${hasThreshold}, ${countByThreshold}, 0)`);

/**
 * Number of original spans that any row of `spans` represents. In addition to {@link adjustedCountOfChildSql} it reads
 * the tags of root spans. `adjustedCount` of `wire/model` lists the fields. ClickHouse plans views again for each
 * insert. Each function in this expression costs 0.1 milliseconds of planning, more than its execution.
 */
export const adjustedCountSql = inFourDigits(
  `multiIf(${hasThreshold}, ${countByThreshold}, parent_span_id = ${noParent} AND position(attribute_text, 'sampl') > 0, ${countByTags}, 0)`,
);

/** Weight of a span in a sum: 1 when the number of original spans is unknown. @param count an SQL expression */
export function countOfSql(count: string): string {
  return `if(${count} = 0, 1, ${count})`;
}
