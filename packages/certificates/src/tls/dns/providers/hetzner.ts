import { setTimeout as wait } from "node:timers/promises";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { type ApiCall, ApiClient, pathOf } from "../../api/api-client.ts";
import { filled, filledText } from "../api/filled-text.ts";
import { type DnsRecord, type ZoneApi, zoneFileValue, zoneProvider } from "../api/zone-provider.ts";

const minTtlSeconds = 60;
const pollMs = 500;
const maxPolls = 60;

const zonesSchema = z.object({ zones: z.array(z.object({ id: z.number(), name: z.string() })) });
const actionSchema = z.object({
  action: z.object({
    id: z.number(),
    status: z.enum(["running", "success", "error"]),
    error: z.object({ message: z.string() }).nullish(),
  }),
});

const configSchema = z.strictObject({
  api_token: filledText("API token of the project in the Hetzner Console, with write permission."),
});

/** The call that changes a value of a record set. @param more further fields for the action */
function changeOf(
  zone: number,
  record: DnsRecord,
  action: "add_records" | "remove_records",
  more: object = {},
): ApiCall {
  const { label, type } = record;
  return {
    method: "POST",
    path: `${pathOf("zones", zone, "rrsets", label || "@", type)}/actions/${action}`,
    body: { ...more, records: [{ value: zoneFileValue(record) }] },
  };
}

/**
 * The zones of the Hetzner Console. The API of the older DNS Console ended in 2026.
 * Source: https://docs.hetzner.cloud/reference/cloud#zones
 */
export function hetznerApi(
  { api_token: token }: z.infer<typeof configSchema>,
  base = "https://api.hetzner.cloud/v1",
  pauseMs = pollMs,
): ZoneApi<number> {
  const name = "hetzner";
  const client = new ApiClient({ name, base, authorize: () => ({ authorization: `Bearer ${token}` }) });

  /** Waits until a change is done, because the first response only accepts it. */
  const untilDone = async (call: ApiCall, { action: accepted }: z.infer<typeof actionSchema>) => {
    let action = accepted;
    for (let polls = 0; action.status === "running" && polls < maxPolls; polls++) {
      await wait(pauseMs);
      ({ action } = await client.json(actionSchema, { method: "GET", path: pathOf("actions", action.id) }));
    }
    if (action.status !== "success") {
      throw client.error(call, action.error?.message ?? `action ${action.id} is ${action.status}`);
    }
  };

  return {
    name,
    async zone(zone) {
      const { zones } = await client.json(zonesSchema, {
        method: "GET",
        path: "/zones",
        query: { name: zone },
      });
      return zones.find((each) => each.name === zone)?.id;
    },
    async add(zone, record) {
      const call = changeOf(zone, record, "add_records", {
        ttl: Math.max(minTtlSeconds, record.ttlSeconds),
      });
      await untilDone(call, await client.json(actionSchema, call));
    },
    async remove(zone, record) {
      const call = changeOf(zone, record, "remove_records");
      const accepted = await client.find(actionSchema, call);
      if (accepted !== undefined) {
        await untilDone(call, accepted);
      }
    },
    close: () => client.close(),
  };
}

export const hetznerProvider = defineModule({
  id: "dns.providers.hetzner",
  config: configSchema,
  provision: (config) => zoneProvider(hetznerApi(filled(config, ["api_token"]))),
});
