import type { JsonObject } from "server-core/json/json-value";
import { objectsOf, textsOf } from "../json-lists.ts";
import { fieldLines, part, text, texts } from "../lines/field-lines.ts";
import { given, type Line, line } from "../lines/line.ts";
import { Members } from "../members.ts";
import { clientAuthLine } from "../modules/client-auth.ts";
import type { ServerDraft } from "./site-draft.ts";

const connectionFields = {
  ciphers: texts("cipher_suites"),
  curves: texts("curves"),
  alpn: texts("alpn"),
  insecure_secrets_log: text("insecure_secrets_log"),
  client_auth: part("client_authentication", clientAuthLine),
};

/** The first connection policy of a server that lists all these hosts; without hosts, the policy for all names. */
export function connectionFor({ members }: ServerDraft, hosts: readonly string[]): JsonObject | undefined {
  const policies = objectsOf(members.look("tls_connection_policies"));
  return hosts.length === 0
    ? policies.find(({ match }) => match === undefined)
    : policies.find((policy) => hosts.every((host) => textsOf(policy, "match", "sni").includes(host)));
}

/** Connection settings for the block of `tls`. @throws ServerError CONFIG_INEXPRESSIBLE */
export function connectionLines(connection: JsonObject, server: ServerDraft): Line[] {
  const members = new Members(connection, server.members.pathOf("tls_connection_policies"));
  const max = given(members.text("protocol_max"));
  return [
    ...given(members.text("protocol_min")).map((min) => line("protocols", min, ...max)),
    ...fieldLines(members, connectionFields),
  ];
}

/** Invented file names for tags such as `cert0`, if the config does not contain their files. */
function unknownPairs(tags: readonly string[]): string[][] {
  return tags.filter((tag) => /^cert\d+$/.test(tag)).map((tag) => [`${tag}.pem`, `${tag}.key`]);
}

/** The certificate files that a connection policy selects. @param tls the app */
export function certificatePairs(tls: JsonObject, connection: JsonObject): string[][] {
  const files = objectsOf(tls, "certificates", "load_files");
  return textsOf(connection, "certificate_selection", "any_tag").flatMap((tag) => {
    const file = files.find((each) => textsOf(each.tags).includes(tag));
    return file === undefined ? unknownPairs([tag]) : [[String(file.certificate), String(file.key)]];
  });
}

/**
 * Certificate files that servers select but do not load. A site without listen addresses at the start of the text loads
 * them.
 * @param tls the app
 */
export function unloadedPairs(tls: JsonObject, servers: readonly ServerDraft[]): string[][] {
  const loaded = new Set(objectsOf(tls, "certificates", "load_files").flatMap(({ tags }) => textsOf(tags)));
  const chosen = servers
    .flatMap(({ members }) => objectsOf(members.look("tls_connection_policies")))
    .flatMap((policy) => textsOf(policy, "certificate_selection", "any_tag"));
  return unknownPairs([...new Set(chosen)].filter((tag) => !loaded.has(tag)));
}
