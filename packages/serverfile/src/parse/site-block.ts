import type { Segment, Token } from "../lexer/token.ts";

/** A top-level block: the global options (no keys), a site, or a named route. */
export interface SiteBlock {
  /** Addresses of a site, or the name of a named route; empty for the global options. */
  readonly keys: readonly Token[];
  /** Directives and named matchers, in the order of the text. */
  readonly segments: readonly Segment[];
  /** False for a text with one site and no braces; some error messages depend on it. */
  readonly hasBraces: boolean;
  /** True for a block `&(name) { … }`. */
  readonly isNamedRoute: boolean;
}
