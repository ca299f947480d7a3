/** Start and end positions of all findings, in order. Findings do not overlap. */
export type Places = readonly number[];

/** Finds parts of a text in time linear in its length. */
export type Find = (text: string) => Places;
