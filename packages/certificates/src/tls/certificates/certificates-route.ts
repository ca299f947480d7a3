import { jsonReply, requireMethod } from "server-core/admin/admin-message";
import type { AdminRoute } from "server-core/admin/admin-route";
import { type ListPage, listPageOf, pageOf } from "server-core/admin/list-page";
import { ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { type CertificateStates, certificatesTopic } from "./certificate-state.ts";

const none: CertificateStates = { certificates: [], pending: [] };

/**
 * Periods in days from now. The header `X-Ends-Within-Days` has the number of certificates that end within each period.
 */
const endsWithinDays = [0, 7, 30, 90];
const dayMs = 86_400_000;

function endsText(certificates: CertificateStates["certificates"], nowMs: number): string {
  const ends = certificates.map(({ not_after }) => Date.parse(not_after));
  return endsWithinDays
    .map((days) => `${days}=${ends.filter((end) => end <= nowMs + days * dayMs).length}`)
    .join(", ");
}

/** A page of the list. Pending names are limited only when the request contains a limit. */
function partOf({ certificates, pending }: CertificateStates, asked: ListPage) {
  const listed = pageOf(certificates, asked, ({ names, issuer, serial, fingerprint, tags }) =>
    [...names, issuer, serial, fingerprint, ...tags].join(" "),
  );
  const worstFirst = Number.isFinite(asked.limit)
    ? pending.toSorted((a, b) => b.failures - a.failures)
    : pending;
  const waiting = pageOf(worstFirst, { ...asked, offset: 0 }, ({ name, error }) => `${name} ${error ?? ""}`);
  const failing = pageOf(
    pending.filter(({ error }) => error !== null),
    asked,
    ({ name, error }) => `${name} ${error ?? ""}`,
  );
  return {
    states: { certificates: listed.page, pending: waiting.page },
    headers: {
      ...listed.headers,
      "X-Pending-Count": String(waiting.headers["X-Total-Count"]),
      "X-Failing-Count": String(failing.headers["X-Total-Count"]),
      "X-Ends-Within-Days": endsText(certificates, Date.now()),
    },
  };
}

/**
 * `GET /tls/certificates`: certificates that the server can send to clients, when they expire, and certificates that it
 * fails to obtain. Parameters: `contains`, `limit` and `offset`.
 */
export const certificatesRoute = defineModule({
  id: "admin.api.certificates",
  config: z.strictObject({}),
  provision(_config, { messages }): AdminRoute {
    async function states(): Promise<CertificateStates> {
      try {
        return (await messages.askMain(certificatesTopic, null)) as CertificateStates;
      } catch (error) {
        // The topic has no handler without the app `tls`, so there are no certificates.
        if (error instanceof ServerError && error.code === "THREAD") {
          return none;
        }
        throw error;
      }
    }
    return {
      path: "/tls/certificates",
      async handle(request) {
        requireMethod(request, "GET");
        const asked = listPageOf(request.query);
        const part = partOf(await states(), asked);
        const reply = jsonReply(200, part.states as unknown as JsonValue);
        return { ...reply, headers: { ...reply.headers, ...part.headers } };
      },
    };
  },
});
