import {
  EDITOR_SERVERS,
  JETBRAINS,
  VS_CODE,
  VS_CODE_WITHOUT_SESSION,
} from '../../src/prove/probes/authority/editors.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut(VS_CODE, { off: FS_ALL });
wayOut(VS_CODE_WITHOUT_SESSION, { off: FS_ALL });
wayOut(JETBRAINS, { off: FS_ALL });
wayOut(EDITOR_SERVERS, { off: FS_ALL });
