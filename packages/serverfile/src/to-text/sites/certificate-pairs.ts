import type { JsonObject } from "server-core/json/json-value";
import { objectsOf, textsOf } from "../json-lists.ts";
import type { ServerDraft } from "./site-draft.ts";

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
