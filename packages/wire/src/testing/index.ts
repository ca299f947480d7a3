export { damagedMessage, randomOf } from "../rows/damaged-message.ts";
export { spanArbitrary } from "../rows/span-arbitrary.ts";
export { storedRowsOf } from "../rows/stored-rows-of.ts";
