import { z } from "zod";
import { jsonReply, requireMethod } from "../../admin/admin-message.ts";
import type { AdminRoute } from "../../admin/admin-route.ts";
import { defineModule } from "../../core/modules/module.ts";
import { upstreamPrefix } from "../handlers/reverse-proxy/upstream.ts";

/** `GET /reverse_proxy/upstreams`: the global upstream pool. */
export const reverseProxyUpstreams = defineModule({
  id: "admin.api.reverse_proxy",
  config: z.strictObject({}),
  provision(_config, context): AdminRoute {
    return {
      path: "/reverse_proxy/upstreams",
      handle(request) {
        requireMethod(request, "GET");
        const upstreams = context.shared.list(upstreamPrefix);
        // Written by hand to keep the model's order of members.
        const body = upstreams.map(({ name, level, count }) =>
          JSON.stringify({ address: name.slice(upstreamPrefix.length), num_requests: level, fails: count }),
        );
        return { ...jsonReply(200, null), body: `[${body.join(",")}]\n` };
      },
    };
  },
});
