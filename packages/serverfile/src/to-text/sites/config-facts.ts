import type { JsonObject } from "server-core/json/json-value";
import type { Choices } from "../choices.ts";
import type { Members } from "../members.ts";
import { type UsualPorts, usualPortsOf } from "./addresses.ts";
import { commonBinds } from "./bind-lines.ts";
import { withHiddenSites } from "./hidden-sites.ts";
import { readServers } from "./read-servers.ts";
import type { Listening, ServerDraft, SiteDraft } from "./site-draft.ts";

/** The facts of a config that writers of several parts need. */
export interface ConfigFacts {
  /** The app `tls`; empty without it. */
  readonly tls: JsonObject;
  /** Logs by name. */
  readonly logs: JsonObject;
  readonly choices: Choices;
  readonly ports: UsualPorts;
  readonly servers: readonly ServerDraft[];
  /** All sites, including the sites that no route shows. */
  readonly sites: readonly SiteDraft[];
  /** Listen addresses of all sites, if the text has them in `default_bind`. */
  readonly binds: Listening["binds"] | undefined;
}

/** Reads the facts of a config, for one set of choices. @throws ServerError CONFIG_INEXPRESSIBLE */
export function readFacts(config: Members, choices: Choices): ConfigFacts {
  const logging = config.child("logging");
  logging?.take("logs");
  logging?.done("logging");
  const ports = { ...usualPortsOf(config), namesScheme: choices.namesScheme };
  const { servers, sites } = readServers(config, ports);
  return {
    tls: config.objectAt("apps", "tls"),
    logs: config.objectAt("logging", "logs"),
    choices,
    ports,
    servers,
    sites: withHiddenSites(sites, servers, choices.hiddenAnyHost),
    binds: choices.defaultBind ? commonBinds(servers) : undefined,
  };
}
