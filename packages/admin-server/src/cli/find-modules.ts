import { decodeDocument } from "server-core/engine/config-document";
import { parseJson } from "server-core/json/parse-json";
import { registryFor } from "server-core/user-modules/load-user-modules";
import { allModules } from "../all-modules.ts";
import { ModulePackages } from "./module-packages.ts";
import { readConfig } from "./read-config.ts";

/** A module in the output of `server list-modules`. */
export interface FoundModule {
  /** Version of the npm package with the module; absent: the server's version, or unknown. */
  readonly version?: string;
  readonly id: string;
  readonly isStandard: boolean;
  /** The module's source as a config names it; "" for the server's own modules. */
  readonly source: string;
}

/**
 * The modules of the server, then the modules of installed packages and of a config, each group sorted. @param config
 * config file; "": no config. @throws StartError, ServerError
 */
export async function findModules(config: string, adapter: string): Promise<FoundModule[]> {
  const standard = allModules();
  const found = standard.listed.map(({ id }): FoundModule => ({ id, isStandard: true, source: "" }));
  const names =
    config === "" ? [] : decodeDocument(parseJson((await readConfig(config, adapter)).json)).modules;
  const packages = await new ModulePackages().list();
  for (const { name, version, ids, fault } of packages) {
    if (fault !== undefined) {
      process.stderr.write(`package ${name} cannot be loaded: ${fault}\n`);
    }
    found.push(...ids.map((id) => ({ id, isStandard: false, source: name, version })));
  }
  const isInstalled = new Set(packages.map(({ name }) => name));
  for (const name of names.filter((each) => !isInstalled.has(each))) {
    const { listed } = await registryFor(standard, [name]);
    found.push(
      ...listed.slice(standard.listed.length).map(({ id }) => ({ id, isStandard: false, source: name })),
    );
  }
  return found.sort((a, b) => Number(b.isStandard) - Number(a.isStandard) || (a.id < b.id ? -1 : 1));
}
