import { guardName } from '../../decide/guard/index.ts';
import { hasUserinfo, looksRandom } from '../../decide/guard/rules/contexts.ts';
import type { Bytes } from '../../host/bytes.ts';

/** With one slash, none, the other kind, or as JSON may have them: programs read all of these as a web address with a log-in. */
const ODD_ADDRESS = /\b((?:https?|wss?|ftp):)(?!\/\/)(?:\\u002f|\\?\/|\\)*[^/\\?#\s"'@]*@/gi;
/** `//name:password@host/`, and `name:password@host:3128` as proxies are written. */
const NO_SCHEME = /(^(?:\/\/)?|[\s"'=]\/\/)[^/?#\s"'@:]+:[^/?#\s"'@]+@(?=[\w.[\]-]+(?:[:/]|$))/g;
const USERINFO = /(:\/\/)[^/?#\s"'@]*(?:@[^/?#\s"'@]*)*@/g;
const PATH = /(:\/\/[^/\s"'<>]+)((?:\/[^/\s"'?#<>]*)+)/g;
const QUERY = /(:\/\/[^\s"'?#<>]{1,500})\?([^\s"'#<>]+)/g;

/** `https://name:password@host/` as `https://host/`, also where the password has a slash in it, is a part of the path or signs it. */
export function withoutLogIns(value: string): string {
  const plain = value.includes('://') ? value.replace(PATH, withoutTokens).replace(QUERY, withoutSigns) : value;
  return plain.includes('@') ? withoutUsers(plain) : plain;
}

function withoutUsers(value: string): string {
  const plain = value.replace(ODD_ADDRESS, '$1//').replace(NO_SCHEME, '$1').replace(USERINFO, '$1');
  return hasUserinfo(plain as Bytes) ? plain.replace(/(:\/\/)[^\s"']*@/g, '$1') : plain;
}

/** Whether a program would log in by an address in it. The name alone in `ssh://git@host` does not. */
export function hasLogInAddress(text: string): boolean {
  if (
    text.includes('@') &&
    (hasUserinfo(text as Bytes) || text.replace(ODD_ADDRESS, '').replace(NO_SCHEME, '') !== text)
  )
    return true;
  return text.includes('://') && text.replace(PATH, withoutTokens).replace(QUERY, withoutSigns) !== text;
}

/** Registries that tell their customers apart by the path: `https://dl.host/TOKEN/org/`, conda's `https://host/t/TOKEN/channel`. */
function withoutTokens(_: string, host: string, path: string): string {
  const parts = path.replace(/\/t\/[^/]{8,}(?=\/|$)/g, '').split('/');
  return host + parts.filter((part, at) => !isToken(part, at === 1)).join('/');
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A digest may stand anywhere but in front. */
function isToken(part: string, isFirst: boolean): boolean {
  if (!/^(?=.*\d)(?=.*[a-z])[\w~-]{16,256}$/i.test(part) || UUID.test(part)) return false;
  if (/^[0-9a-f]+$/i.test(part)) return isFirst;
  return looksRandom(part) || /^[a-z0-9]{24,}$/i.test(part);
}

const SIGN = /^(?:x-(?:amz|goog)-)?(?:signature|sig|credential|security-token|token|code|sas)$/i;
const REFERENCE = /^(?:$|[$<%{*])/;

function withoutSigns(whole: string, address: string, query: string): string {
  const isSign = (pair: string) => {
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    return !REFERENCE.test(value) && (SIGN.test(name) || guardName(name as Bytes) !== undefined || looksRandom(value));
  };
  return query.split('&').some(isSign) ? address : whole;
}
