import type { JsonObject } from "server-core/json/json-value";
import { objectsOf, textsOf } from "../json-lists.ts";
import type { ServerDraft } from "./site-draft.ts";

/** Made-up pairs of files for tags such as `cert0` whose files the config does not have. */
function unknownPairs(tags: readonly string[]): string[][] {
  return tags.filter((tag) => /^cert\d+$/.test(tag)).map((tag) => [`${tag}.pem`, `${tag}.key`]);
}

/** The pairs of files that a connection policy chooses. @param tls the app */
export function certificatePairs(tls: JsonObject, connection: JsonObject): string[][] {
  const files = objectsOf(tls, "certificates", "load_files");
  return textsOf(connection, "certificate_selection", "any_tag").flatMap((tag) => {
    const file = files.find((each) => textsOf(each.tags).includes(tag));
    return file === undefined ? unknownPairs([tag]) : [[String(file.certificate), String(file.key)]];
  });
}

/**
 * Pairs of files that servers choose but do not load. In the text a site that is served nowhere loads them first.
 * @param tls the app
 */
export function unloadedPairs(tls: JsonObject, servers: readonly ServerDraft[]): string[][] {
  const loaded = new Set(objectsOf(tls, "certificates", "load_files").flatMap(({ tags }) => textsOf(tags)));
  const chosen = servers
    .flatMap(({ members }) => objectsOf(members.look("tls_connection_policies")))
    .flatMap((policy) => textsOf(policy, "certificate_selection", "any_tag"));
  return unknownPairs([...new Set(chosen)].filter((tag) => !loaded.has(tag)));
}
