export { cityHash64 } from "./city-hash-64.ts";
export { cityHash128 } from "./city-hash-128.ts";
