import * as z from "zod/mini";
import { objectiveOrders, objectiveStates } from "../../api/objective-states.ts";
import { pageNumber } from "../../components/page-number.ts";
import { refreshField } from "../../components/refresh-select.tsx";

const text = z.catch(z.optional(z.string()), undefined);

/** Unreadable parts fall back to their defaults. */
export const objectivesAddress = z.object({
  /** Name of one objective; absent: the list of all objectives. */
  name: text,
  /** Filter: part of a name or a service. */
  filter: text,
  /** Filter: state of the objectives. */
  state: z.catch(z.optional(z.enum(objectiveStates)), undefined),
  /** Order of the list; the worst state first by default. */
  sort: z.catch(z.enum(objectiveOrders), "state"),
  page: pageNumber,
  refresh: refreshField,
});

/** State of the objectives page in its address. */
export type ObjectivesAddress = z.infer<typeof objectivesAddress>;

/** The default state. An address leaves out fields with these values. */
export const defaultObjectivesAddress: ObjectivesAddress = objectivesAddress.parse({});
