import * as z from "zod/mini";

/** Each member has its own fallback, so that an older query service does not break the page. */
const pageFactsSchema = z.object({
  version: z.catch(z.object({ gitVersion: z.catch(z.string(), "") }), { gitVersion: "" }),
  storageCapabilities: z.catch(z.object({ archiveStorage: z.catch(z.boolean(), false) }), {
    archiveStorage: false,
  }),
});

/** The facts that the query service wrote into the page; see the script in index.html. */
export function pageFacts(): z.infer<typeof pageFactsSchema> {
  const written: unknown = Reflect.get(window, "tracingPage");
  return pageFactsSchema.parse(written ?? {});
}
