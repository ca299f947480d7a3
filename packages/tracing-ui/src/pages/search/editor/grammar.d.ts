declare module "*.grammar" {
  import type { LRParser } from "@lezer/lr";

  /** The parser that the build generates from the grammar. */
  export const parser: LRParser;
}
