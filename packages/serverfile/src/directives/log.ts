import { readLog } from "../modules/logging/read-log.ts";
import type { Directive } from "./directive.ts";

/**
 * `log [name] { … }`: access logs of the site. Without a name and settings, the site uses the default logger. A log
 * with settings but without a name gets a generated name (`log0` and so on). A log with a name writes only the access
 * log with that name.
 */
export const log: Directive = ({ cursor, readModule, state }) => {
  cursor.next();
  const given = cursor.nextArgument() ? cursor.value : "";
  cursor.noMoreArguments();
  const { draft, isEmpty, hosts, noHost } = readLog(cursor, readModule, false);
  const name = given !== "" || isEmpty ? given : `log${state.logCount++}`;
  if (name !== "") {
    draft.include = [`http.log.access.${name}`];
  }
  return [{ kind: "log", log: { name, hosts, noHost, log: isEmpty ? undefined : draft } }];
};
