// A real browser with a virtual authenticator registers keys and signs in, and the server is killed in between.
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type CDPSession, chromium, type Page } from "playwright-core";
import { freePorts } from "server-core/testing/free-ports";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ServerProcess } from "../../../../admin-server/src/testing/server-process.ts";
import { browserFlags, browserPath } from "../../../../ui-kit/src/testing/browser.ts";

describe.skipIf(!existsSync(browserPath))("passkeys in Chromium", { timeout: 240_000 }, () => {
  let folder: string;
  let origin: string;
  let server: ServerProcess;
  let browser: Browser;
  let page: Page;
  let devTools: CDPSession;

  async function start(): Promise<void> {
    server = new ServerProcess(["run", "--config", join(folder, "server.json")], { XDG_CONFIG_HOME: folder });
    await server.adminUrl();
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "passkeys-"));
    const [port = 0, adminPort = 0] = await freePorts(2);
    origin = `http://localhost:${port}`;
    const handle = [
      {
        handler: "webauthn",
        rp_id: "localhost",
        origins: [origin],
        sign_key: Buffer.alloc(32, "k").toString("base64"),
        user_verification: "required",
        username_placeholder: "ann",
      },
      { handler: "static_response", body: "inside" },
    ];
    const config = {
      admin: { listen: `127.0.0.1:${adminPort}` },
      apps: { http: { servers: { s: { listen: [`127.0.0.1:${port}`], routes: [{ handle }] } } } },
    };
    await writeFile(join(folder, "server.json"), JSON.stringify(config));
    await start();
    browser = await chromium.launch({ executablePath: browserPath, args: browserFlags });
    page = await browser.newPage();
    devTools = await page.context().newCDPSession(page);
    await devTools.send("WebAuthn.enable");
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    server?.child.kill("SIGKILL");
    await server?.exit;
    await rm(folder, { recursive: true, maxRetries: 5 });
  });

  const authenticator = async (transport: "usb" | "internal") => {
    const { authenticatorId } = await devTools.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport,
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return authenticatorId;
  };
  const counters = async (authenticatorId: string) => {
    const { credentials } = await devTools.send("WebAuthn.getCredentials", { authenticatorId });
    return credentials.map(({ signCount }) => signCount);
  };
  const text = () => page.locator("body").textContent();
  const leave = () => page.context().clearCookies();

  test("registers, signs in after a kill, adds a second key, and uses it without the first", async () => {
    const first = await authenticator("usb");
    await page.goto(`${origin}/`);
    await page.getByLabel("Name of the key").fill("on my desk");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("inside").waitFor();

    server.child.kill("SIGKILL");
    await server.exit;
    await start();
    await page.reload();
    expect(await text()).toBe("inside"); // the session is signed, so it outlasts the server

    await leave();
    await page.reload();
    expect(await text()).toContain("Use your passkey");
    await page.getByRole("button", { name: "Use passkey" }).click();
    await page.getByText("inside").waitFor();
    const [used = 0] = await counters(first);
    expect(used).toBeGreaterThan(1);

    // A second authenticator; the first one is taken out, because it refuses to be registered twice.
    await page.goto(`${origin}/.passkeys`);
    expect(await text()).toContain("on my desk");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("registered already").waitFor();
    await devTools.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId: first });
    const second = await authenticator("internal");
    await page.getByLabel("Name of the key").fill("laptop");
    await page.reload();
    await page.getByLabel("Name of the key").fill("laptop");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("laptop").waitFor();

    await leave();
    await page.goto(`${origin}/`);
    await page.getByRole("button", { name: "Use passkey" }).click();
    await page.getByText("inside").waitFor();

    await page.goto(`${origin}/.passkeys`);
    await page.getByText("on my desk").locator("..").getByRole("button", { name: "Remove" }).click();
    await expect.poll(text).not.toContain("on my desk");

    // A user who cannot be verified is refused by the browser itself, and the page says so.
    await leave();
    await devTools.send("WebAuthn.setUserVerified", { authenticatorId: second, isUserVerified: false });
    await page.goto(`${origin}/`);
    await page.getByRole("button", { name: "Use passkey" }).click();
    await page.getByText("not used in time").waitFor();
  });
});
