import { deviationCases } from "./deviation-questions.ts";
import { edgeCases } from "./edge-questions.ts";
import { handlerCases } from "./handler-questions.ts";
import { matcherCases } from "./matcher-questions.ts";
import { placeholderCases } from "./placeholder-questions.ts";
import { proxyCases } from "./proxy-questions.ts";
import type { SiteCase } from "./site-case.ts";

/** All cases that are sent to the sites of both servers. */
export const siteCases: readonly SiteCase[] = [
  ...matcherCases,
  ...handlerCases,
  ...proxyCases,
  ...placeholderCases,
  ...edgeCases,
  ...deviationCases,
];
