/**
 * Texts by symbol: one of several, with `<symbol>`, `<symbol?>` (none or one), `<symbol*>` (some), `<symbol+>` (at least
 * one) in it. The first text of a symbol ends every recursion.
 */
export type Grammar = Readonly<Record<string, readonly string[]>>;
