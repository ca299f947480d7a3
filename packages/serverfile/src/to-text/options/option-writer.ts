import type { Line } from "../lines/line.ts";
import type { MatcherSetWriter } from "../matchers/matcher-writer.ts";
import type { Members } from "../members.ts";

/** Writes an app as its global option. @throws ServerError CONFIG_INEXPRESSIBLE */
export type OptionWriter = (app: Members, matcherLines: MatcherSetWriter) => Line[];
