// An OpenID provider to sign in at, on loopback: `node oidc_provider.mjs STAND PORT CALLBACK`, for tests and for trying.
// Any name and password do. Each line of its standard input sets groups: {"bob": ["editors"]}. Ends with it.

import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [stand, port, callback] = process.argv.slice(2);
const { Provider } = await import(pathToFileURL(`${stand}/node_modules/oidc-provider/lib/index.js`));
const issuer = `http://127.0.0.1:${port}`;
let groups = {};

const provider = new Provider(issuer, {
  clients: [{
    client_id: "memsite", client_secret: "only-for-trying", redirect_uris: [callback],
    post_logout_redirect_uris: [new URL("/login", callback).href],
  }],
  claims: {
    openid: ["sub"], profile: ["preferred_username"], email: ["email", "email_verified"], groups: ["groups"],
  },
  pkce: { required: () => true },
  findAccount: (context, id) => ({
    accountId: id,
    claims: () => ({
      sub: id, preferred_username: id, email: `${id}@example.org`, email_verified: true, groups: groups[id] ?? [],
    }),
  }),
});

provider.listen(Number(port), "127.0.0.1", () => console.log(`listening at ${issuer}`));
const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => { groups = JSON.parse(line); console.log("groups are set"); });
lines.on("close", () => process.exit(0));
