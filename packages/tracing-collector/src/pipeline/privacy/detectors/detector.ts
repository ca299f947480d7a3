/** Start and end of each finding, one after the other, in their order and apart from one another. */
export type Places = readonly number[];

/** Finds parts of a text in time linear in its length. */
export type Find = (text: string) => Places;
