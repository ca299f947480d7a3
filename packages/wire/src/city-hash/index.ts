export { cityHash64 } from "./city-hash-64.ts";
export { cityHash128 } from "./city-hash-128.ts";
export { hash16 as hash128To64 } from "./mixing.ts";
