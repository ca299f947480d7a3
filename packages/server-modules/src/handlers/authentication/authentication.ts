import type { Exchange } from "http-engine/exchange";
import type { HttpHandler } from "http-engine/handler";
import { HttpError } from "http-engine/http-error";
import { setPlaceholder } from "http-engine/placeholders";
import { errorWithin, messageOf, ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { moduleMap } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { type AuthProvider, authProviders } from "./auth-provider.ts";

/**
 * Passes requests of authenticated users to the next handler; other requests get 401.
 * | Providers | Answer |
 * |---|---|
 * | a provider knows the user | the next handler, with `{http.auth.user.id}` |
 * | no provider knows the user | 401, with the providers' challenges |
 * | a provider failed, and no other provider knows the user | 401; the failure is logged, and is in `{http.auth.<name>.error}` |
 * | the queue of password comparisons is full | 503 with `Retry-After` |
 * Source: Caddy 2.11
 */
export const authentication = defineModule({
  id: "http.handlers.authentication",
  config: z.strictObject({
    providers: moduleMap("http.authentication.providers")
      .nullish()
      .describe("Ways to know a user, by name; the first that does counts."),
  }),
  async provision(config, context): Promise<HttpHandler> {
    const providers: [name: string, provider: AuthProvider][] = [];
    for (const [name, each] of Object.entries(config.providers ?? {})) {
      try {
        const loaded = await context.load(
          authProviders,
          name,
          (each ?? {}) as JsonValue,
          `providers/${name}`,
        );
        providers.push([name, loaded]);
      } catch (error) {
        throw errorWithin(`loading authentication providers: module name '${name}'`, error);
      }
    }
    /** Asks the providers in order. @throws ServerError CLIENT_GONE, PASSWORDS_BUSY; HttpError 401 */
    async function identify(exchange: Exchange): Promise<void> {
      let busy: ServerError | undefined;
      for (const [name, provider] of providers) {
        try {
          const user = await provider.authenticate(exchange);
          if (user !== undefined) {
            setPlaceholder(exchange, "http.auth.user.id", user.id);
            for (const [key, value] of Object.entries(user.metadata ?? {})) {
              setPlaceholder(exchange, `http.auth.user.${key}`, value);
            }
            return;
          }
        } catch (error) {
          if (error instanceof ServerError && error.code === "CLIENT_GONE") {
            throw error;
          }
          if (error instanceof ServerError && error.code === "PASSWORDS_BUSY") {
            busy = error;
            continue;
          }
          context.log.error(`authentication provider ${name}: ${messageOf(error)}`);
          setPlaceholder(exchange, `http.auth.${name}.error`, messageOf(error));
        }
      }
      if (busy !== undefined) {
        const seconds = Math.ceil(((busy.retryAtMs ?? 0) - Date.now()) / 1000);
        exchange.responseHeaders.push("Retry-After", String(Math.max(1, seconds)));
        throw busy;
      }
      throw new HttpError(401, "not authenticated");
    }

    return {
      async handle(exchange, next) {
        await identify(exchange);
        // This call is outside of the `try` for providers, so an error of the next handler is not blamed on a provider.
        return next(exchange);
      },
    };
  },
});
