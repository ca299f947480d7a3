/**
 * Texts by symbol. A text may contain `<symbol>`, `<symbol?>` (none or one), `<symbol*>` (some) and `<symbol+>` (at
 * least one). The first text of each symbol must end the recursion.
 */
export type Grammar = Readonly<Record<string, readonly string[]>>;
