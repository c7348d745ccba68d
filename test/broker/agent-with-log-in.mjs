// Stands in for an agent: reads its log-in, renews it, writes it back, and uses it, as real ones do. Prints what it saw.
import { readFileSync, writeFileSync } from 'node:fs';

const [file, kind, how = 'renew'] = process.argv.slice(2);
const KINDS = {
  claude: {
    root: 'claudeAiOauth',
    access: 'accessToken',
    refresh: 'refreshToken',
    url: 'https://platform.claude.com/v1/oauth/token',
    client: '9d1c250a-e61b-44d9-88ed-5944d1962f5e',
    use: 'https://api.anthropic.com/v1/messages',
  },
  codex: {
    root: 'tokens',
    access: 'access_token',
    refresh: 'refresh_token',
    url: 'https://auth.openai.com/oauth/token',
    client: 'app_EMoamEEZ73f0CkXaXp7hrann',
    use: 'https://chatgpt.com/backend-api/codex/responses',
  },
  gemini: {
    access: 'access_token',
    refresh: 'refresh_token',
    form: true,
    url: 'https://oauth2.googleapis.com/token',
    client: '681255809395-oo8ft2oprdrnp9e3aqf6av3hmdib135j.apps.googleusercontent.com',
    use: 'https://cloudcode-pa.googleapis.com/v1internal:loadCodeAssist',
  },
};
const { root, access, refresh, form, url, client, use } = KINDS[kind];
const text = readFileSync(file, 'utf8');
const all = JSON.parse(text);
const tokens = root === undefined ? all : all[root];
const post = (fields) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json' },
    body: form ? new URLSearchParams(fields).toString() : JSON.stringify(fields),
  });
const say = (what) => console.log(JSON.stringify(what));

say({ file: text });
const call = async (token) => {
  const answer = await fetch(use, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: '{}' });
  say({ used: answer.status, text: await answer.text() });
};
if (how === 'log in') {
  const answer = await post({ grant_type: 'authorization_code', code: 'code-from-a-browser', client_id: client });
  say({ renewed: answer.status, text: await answer.text() });
} else {
  await call(tokens[access]);
  const answer = await post({ grant_type: 'refresh_token', refresh_token: tokens[refresh], client_id: client });
  const fresh = await answer.text();
  say({ renewed: answer.status, text: fresh });
  if (answer.ok) {
    const { access_token, refresh_token } = JSON.parse(fresh);
    Object.assign(tokens, { [access]: access_token, [refresh]: refresh_token });
    writeFileSync(file, JSON.stringify(all));
    await call(access_token);
    say({ file: readFileSync(file, 'utf8') });
  }
}
