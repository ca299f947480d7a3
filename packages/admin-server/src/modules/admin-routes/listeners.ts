import { z } from "zod";
import { jsonReply, requireMethod } from "../../admin/admin-message.ts";
import type { AdminRoute } from "../../admin/admin-route.ts";
import type { JsonValue } from "../../core/json/json-value.ts";
import { defineModule } from "../../core/modules/module.ts";
import { type ListenerState, listenersTopic } from "../../http/listener-state.ts";

/** One entry for each address, whatever number of threads share it. */
function merged(states: readonly ListenerState[]): ListenerState[] {
  const byAddress = new Map<string, ListenerState>();
  for (const state of states) {
    const known = byAddress.get(state.address);
    const connections = state.connections + (known?.connections ?? 0);
    byAddress.set(state.address, { ...state, connections });
  }
  return [...byAddress.values()];
}

/** `GET /listeners`: where the app `http` listens, over all threads. */
export const listenersRoute = defineModule({
  id: "admin.api.listeners",
  config: z.strictObject({}),
  provision(_config, { messages }): AdminRoute {
    return {
      path: "/listeners",
      async handle(request) {
        requireMethod(request, "GET");
        const states = (await messages.askServing(listenersTopic, null)) as ListenerState[][];
        return jsonReply(200, merged(states.flat()) as unknown as JsonValue);
      },
    };
  },
});
