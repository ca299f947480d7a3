import { type ListenerState, listenersTopic } from "http-engine/listener-state";
import { jsonReply, requireMethod } from "server-core/admin/admin-message";
import type { AdminRoute } from "server-core/admin/admin-route";
import { listPageOf, pageOf } from "server-core/admin/list-page";
import type { JsonValue } from "server-core/json/json-value";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";

/** Merges the states of all threads: one entry for each address. */
function merged(states: readonly ListenerState[]): ListenerState[] {
  const byAddress = new Map<string, ListenerState>();
  for (const state of states) {
    const known = byAddress.get(state.address);
    const connections = state.connections + (known?.connections ?? 0);
    byAddress.set(state.address, { ...state, connections });
  }
  return [...byAddress.values()];
}

/** `GET /listeners`: where the app `http` listens, over all threads; takes `contains`, `limit` and `offset`. */
export const listenersRoute = defineModule({
  id: "admin.api.listeners",
  config: z.strictObject({}),
  provision(_config, { messages }): AdminRoute {
    return {
      path: "/listeners",
      async handle(request) {
        requireMethod(request, "GET");
        const asked = listPageOf(request.query);
        const states = (await messages.askServing(listenersTopic, null)) as ListenerState[][];
        const { page, headers } = pageOf(
          merged(states.flat()),
          asked,
          ({ address, server, tls, protocols }) =>
            `${address} ${server} ${protocols.join(" ")}${tls ? " tls" : ""}`,
        );
        const reply = jsonReply(200, page as unknown as JsonValue);
        return { ...reply, headers: { ...reply.headers, ...headers } };
      },
    };
  },
});
