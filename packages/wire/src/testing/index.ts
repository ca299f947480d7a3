export { damagedMessage, randomOf } from "../rows/damaged-message.ts";
