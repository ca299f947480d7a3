// Loaded before a program (`node --require`), or by a test: it makes the resolver return the addresses in
// LOOKED_UP_NAME, such as `collectors.test=127.0.0.1,127.0.0.2`, for this name.

import { type LookupAllOptions, promises } from "node:dns";
import { syncBuiltinESMExports } from "node:module";

const systemLookup = promises.lookup;

Object.assign(promises, {
  async lookup(host: string, options: LookupAllOptions) {
    const [name, addresses = ""] = (process.env.LOOKED_UP_NAME ?? "").split("=");
    if (host !== name || !options.all) {
      return await systemLookup(host, options);
    }
    return addresses.split(",").map((address) => ({ address, family: 4 }));
  },
});
syncBuiltinESMExports();
