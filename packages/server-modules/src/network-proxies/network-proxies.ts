import { defineModule } from "server-core/modules/module";
import type { NetworkProxy } from "server-core/network-proxy";
import { z } from "zod";

/** No proxy. Source: Caddy 2.11 */
export const noNetworkProxy = defineModule({
  id: "network_proxy.none",
  config: z.strictObject({}),
  provision: (): NetworkProxy => ({ url: "" }),
});

/** A proxy with a configured URL. Source: Caddy 2.11 */
export const urlNetworkProxy = defineModule({
  id: "network_proxy.url",
  config: z.strictObject({
    url: z
      .string()
      .describe(
        "`http://`, `https://` or `socks5://`, a host and a port, `user:password@` in front where it asks for them.",
      ),
  }),
  provision: ({ url }): NetworkProxy => ({ url }),
});
