export { damagedMessage, randomOf } from "./damaged-message.ts";
export { decodeTraces } from "./decode-traces.ts";
export { spanArbitrary } from "./span-arbitrary.ts";
export { storedRowsOf } from "./stored-rows-of.ts";
