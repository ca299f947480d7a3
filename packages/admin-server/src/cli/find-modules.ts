import { decodeDocument } from "server-core/engine/config-document";
import { parseJson } from "server-core/json/parse-json";
import { registryFor } from "server-core/user-modules/load-user-modules";
import { allModules } from "../all-modules.ts";
import { readConfig } from "./read-config.ts";

/** A module that `server list-modules` names. */
export interface FoundModule {
  readonly id: string;
  readonly isStandard: boolean;
  /** The name in configurations; "" for modules that come with the server. */
  readonly source: string;
}

/** The modules of the server, then the user modules of a config, each sorted. @param config "" for none. @throws StartError, ServerError */
export async function findModules(config: string, adapter: string): Promise<FoundModule[]> {
  const standard = allModules();
  const found = standard.listed.map(({ id }): FoundModule => ({ id, isStandard: true, source: "" }));
  const names =
    config === "" ? [] : decodeDocument(parseJson((await readConfig(config, adapter)).json)).modules;
  for (const name of names) {
    const { listed } = await registryFor(standard, [name]);
    found.push(
      ...listed.slice(standard.listed.length).map(({ id }) => ({ id, isStandard: false, source: name })),
    );
  }
  return found.sort((a, b) => Number(b.isStandard) - Number(a.isStandard) || (a.id < b.id ? -1 : 1));
}
