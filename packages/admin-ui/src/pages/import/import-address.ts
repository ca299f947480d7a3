import * as z from "zod/mini";

/** State of the import page in its address; the text is kept in the tab. */
export const importAddress = z.object({
  /** `difference`: what loading would change. Absent: the whole JSON. */
  view: z.catch(z.optional(z.enum(["difference"])), undefined),
});

export type ImportAddress = z.infer<typeof importAddress>;
