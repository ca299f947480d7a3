import * as z from "zod/mini";
import { objectiveOrders, objectiveStates } from "../../api/objective-states.ts";
import { pageNumber } from "../../components/page-number.ts";
import { refreshField } from "../../components/refresh-select.tsx";

const text = z.catch(z.optional(z.string()), undefined);

/** State of the objectives page in its address. Unreadable parts fall back to their defaults. */
export const objectivesAddress = z.object({
  /** One objective; all of them without it. */
  name: text,
  /** Part of a name or a service. */
  filter: text,
  /** Only objectives in this state. */
  state: z.catch(z.optional(z.enum(objectiveStates)), undefined),
  /** Order of the list; the worst state first by default. */
  sort: z.catch(z.enum(objectiveOrders), "state"),
  page: pageNumber,
  refresh: refreshField,
});

/** State of the objectives page in its address. */
export type ObjectivesAddress = z.infer<typeof objectivesAddress>;

/** The defaults, which an address leaves out. */
export const defaultObjectivesAddress: ObjectivesAddress = objectivesAddress.parse({});
