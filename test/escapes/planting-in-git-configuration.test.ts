import { wayOut } from '../support/escape.ts';
import { planting } from '../support/escape-planted.ts';

const PLACES = ['.gitconfig', '.config/git/config', '.config/git/attributes', '.config/git/hooks/post-checkout'];

wayOut('planting commands in the global configuration of Git', planting({ existing: ['.gitconfig'], places: PLACES }));
wayOut('planting commands in a global configuration of Git that is not there', planting({ places: PLACES }));
wayOut(
  'planting hooks where the configuration of Git points',
  planting({
    plant: (scene) => {
      scene.file('.gitconfig', '[core]\n\thooksPath = ~/my-hooks\n[include]\n\tpath = ~/more.gitconfig\n');
      scene.file('more.gitconfig', '');
    },
    existing: ['my-hooks/pre-commit'],
    places: ['my-hooks/post-checkout', 'my-hooks/pre-commit', 'more.gitconfig'],
  }),
);
