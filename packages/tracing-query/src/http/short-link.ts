import { Router } from "express";
import type { ViewStore } from "../service/view-store.ts";
import { admit, type EndpointSettings, envelopeStyle, sendFailure } from "./endpoint.ts";
import { sendText } from "./send-pieces.ts";

/** `GET /s/{id}`: redirects the browser to the page of a short link. */
export function shortLinkRouter(settings: EndpointSettings & { readonly views: ViewStore }): Router {
  const router = Router({ strict: true, caseSensitive: true });
  router.all("/s/:id", async (request, response) => {
    const read = admit(request, response, { method: "GET", style: envelopeStyle }, settings);
    if (read === undefined) {
      return;
    }
    try {
      const address = await settings.views.follow(read.tenant ?? "", String(request.params.id));
      if (address === undefined) {
        response.status(404).setHeader("Content-Type", "text/plain; charset=utf-8");
        sendText(response, "there is no such short link here: it may belong to another tenant\n");
        return;
      }
      // Relative, because a proxy may have stripped a prefix of the path.
      response.status(302).setHeader("Location", `..${address}`);
      sendText(response, "");
    } catch (error) {
      sendFailure(response, error, settings.log);
    }
  });
  return router;
}
