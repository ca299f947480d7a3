import { isJsonObject, type JsonObject } from "server-core/json/json-value";
import { objectsOf, textsOf } from "../json-lists.ts";
import { fieldLines, text, texts } from "../lines/field-lines.ts";
import { type Line, line } from "../lines/line.ts";
import { Members } from "../members.ts";
import { clientAuthLine } from "../modules/client-auth.ts";
import type { ServerDraft } from "./site-draft.ts";

const connectionFields = {
  ciphers: texts("cipher_suites"),
  curves: texts("curves"),
  alpn: texts("alpn"),
  insecure_secrets_log: text("insecure_secrets_log"),
};

/** The connection policy of a server for hosts, all of them; for none the one without names. */
export function connectionFor({ members }: ServerDraft, hosts: readonly string[]): JsonObject | undefined {
  const policies = objectsOf(members.look("tls_connection_policies"));
  const namesOf = ({ match }: JsonObject) => (isJsonObject(match) ? textsOf(match.sni) : []);
  return hosts.length === 0
    ? policies.find(({ match }) => match === undefined)
    : policies.find((policy) => hosts.every((host) => namesOf(policy).includes(host)));
}

/** Connection settings for the block of `tls`. @throws ServerError CONFIG_INEXPRESSIBLE */
export function connectionLines(connection: JsonObject, server: ServerDraft): Line[] {
  const members = new Members(connection, server.members.pathOf("tls_connection_policies"));
  const [min, max] = [members.text("protocol_min"), members.text("protocol_max")];
  const lines: Line[] = [];
  if (min !== undefined) {
    lines.push(line("protocols", min, ...(max === undefined ? [] : [max])));
  }
  lines.push(...fieldLines(members, connectionFields));
  const auth = members.child("client_authentication");
  if (auth !== undefined) {
    lines.push(clientAuthLine(auth));
    auth.done("client_auth");
  }
  return lines;
}

/** Whether a connection policy is for a site's names and for clients that name none: the site has the default name. */
export function isForNameless({ match }: JsonObject): boolean {
  return isJsonObject(match) && textsOf(match.sni).includes("");
}
