declare module "*.grammar" {
  import type { LRParser } from "@lezer/lr";

  /** Made of the grammar when the app is built. */
  export const parser: LRParser;
}
