import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Provider, { type Configuration } from "oidc-provider";

export const clientId = "ui";
export const clientSecret = "a-secret-of-thirty-two-characters";

/** A user, and what the provider says of them. */
export interface KnownUser {
  readonly sub: string;
  readonly [claim: string]: unknown;
}

/**
 * For tests: an OpenID Connect provider on a port that the system chooses. Every user is signed in at once as
 * `user`.
 */
export class IdentityProvider {
  user: KnownUser = { sub: "ann", email: "ann@example.test", email_verified: true, groups: ["ops", "dev"] };
  /** Seconds that access tokens live. */
  tokenLifetimeS = 3600;
  /** Requests of the token endpoint, by grant type. */
  readonly grants: string[] = [];
  /** The first token that was taken back; "" when that was refused. */
  readonly revocation = Promise.withResolvers<{ readonly token: string; readonly kind: string }>();
  /** The provider refuses refresh tokens. */
  refusesRefresh = false;
  readonly #server: Server;
  readonly #provider: Provider;

  private constructor(server: Server, redirectUris: string[], logoutUris: string[]) {
    this.#server = server;
    const configuration: Configuration = {
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: redirectUris,
          post_logout_redirect_uris: logoutUris,
          grant_types: ["authorization_code", "refresh_token"],
        },
      ],
      scopes: ["openid", "offline_access", "profile", "email"],
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["groups", "name", "big"] },
      conformIdTokenClaims: false,
      cookies: { keys: ["test"] },
      features: {
        devInteractions: { enabled: false },
        rpInitiatedLogout: { enabled: true },
        revocation: { enabled: true },
      },
      issueRefreshToken: async () => true,
      rotateRefreshToken: () => true,
      ttl: {
        AccessToken: () => this.tokenLifetimeS,
        Grant: 3600,
        Session: 3600,
        IdToken: 3600,
        Interaction: 3600,
        RefreshToken: 3600,
      },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      findAccount: (_, id) => ({ accountId: id, claims: () => ({ ...this.user, sub: id }) }),
      loadExistingGrant: async (context) => {
        const { client, session, params } = context.oidc;
        const grant = new context.oidc.provider.Grant({
          accountId: session?.accountId ?? "",
          clientId: client?.clientId ?? "",
        });
        grant.addOIDCScope(String(params?.scope));
        await grant.save();
        return grant;
      },
    };
    this.#provider = new Provider(this.issuer, configuration);
    // It warns of what only matters outside tests.
    this.#provider.on("server_error", (_, error) => console.error(error));
  }

  /** @param sites where browsers may be sent back to. @param logins paths of redirect URIs there */
  static async start(sites: readonly string[], callbacks: readonly string[]): Promise<IdentityProvider> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const provider = new IdentityProvider(
      server,
      sites.flatMap((site) => callbacks.map((path) => site + path)),
      sites.map((site) => `${site}/`),
    );
    provider.#listen();
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  #listen(): void {
    const callback = this.#provider.callback();
    this.#server.on("request", async (request, response) => {
      if (request.url?.startsWith("/interaction/")) {
        await this.#provider.interactionFinished(request, response, { login: { accountId: this.user.sub } });
        return;
      }
      if (request.url === "/token") {
        request.on("data", (chunk) => {
          const grant = new URLSearchParams(String(chunk)).get("grant_type") ?? "";
          this.grants.push(grant);
        });
        if (this.refusesRefresh) {
          response.writeHead(400, { "Content-Type": "application/json" }).end('{"error":"invalid_grant"}');
          return;
        }
      }
      if (request.url === "/token/revocation") {
        request.once("data", (chunk) => {
          const form = new URLSearchParams(String(chunk));
          response.once("finish", () => {
            const [token, kind] = [form.get("token") ?? "", form.get("token_type_hint") ?? ""];
            this.revocation.resolve({ token: response.statusCode === 200 ? token : "", kind });
          });
        });
      }
      callback(request, response);
    });
  }
}
