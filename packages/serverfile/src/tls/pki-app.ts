import type { GlobalOptions } from "../sites/global-options.ts";
import type { ServerSites } from "../sites/listeners.ts";
import { resultsOf } from "../sites/site.ts";
import { type Draft, isEmptyDraft, setMember } from "../values/draft.ts";

/** Builds the app `pki` with the CAs of global options and sites; `skip_install_trust` applies to all of them. */
export function buildPkiApp(groups: readonly ServerSites[], options: GlobalOptions): Draft {
  const authorities = new Map(options.authorities);
  const sites = groups.flatMap((group) => group.sites.map(({ site }) => site));
  for (const { id, authority } of sites.flatMap((site) => resultsOf(site, "authority"))) {
    if (!authorities.has(id)) {
      authorities.set(id, authority);
    }
  }
  if (options.skipInstallTrust === true) {
    if (authorities.size === 0 && options.autoHttps?.includes("off") !== true) {
      authorities.set("local", {});
    }
    for (const { issuer } of sites.flatMap((site) => resultsOf(site, "issuer"))) {
      const id = typeof issuer.ca === "string" ? issuer.ca : "local";
      if (issuer.module === "internal" && !authorities.has(id)) {
        authorities.set(id, {});
      }
    }
  }
  const byId: Draft = {};
  for (const [id, authority] of authorities) {
    setMember(
      byId,
      id,
      options.skipInstallTrust === true ? { ...authority, install_trust: false } : authority,
    );
  }
  return isEmptyDraft(byId) ? {} : { certificate_authorities: byId };
}
