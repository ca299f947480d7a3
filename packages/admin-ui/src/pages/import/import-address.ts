import * as z from "zod/mini";

/** State of the import page in its URL; the text is stored in the tab. */
export const importAddress = z.object({
  /** `difference`: the changes that loading would make. Absent: the whole JSON. */
  view: z.catch(z.optional(z.enum(["difference"])), undefined),
});

export type ImportAddress = z.infer<typeof importAddress>;
