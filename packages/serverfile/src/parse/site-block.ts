import type { Segment, Token } from "../lexer/token.ts";

/** A block of the top level: the global options (no keys), a site, or a named route. */
export interface SiteBlock {
  readonly keys: readonly Token[];
  readonly segments: readonly Segment[];
  readonly hasBraces: boolean;
  readonly isNamedRoute: boolean;
}
