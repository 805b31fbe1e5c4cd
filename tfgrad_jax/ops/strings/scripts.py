"""The script of every Unicode code point: the lengths of the ranges that have one script, and the numbers of their scripts.

The lengths are 32-bit numbers, all their lowest bytes first; the numbers of scripts are ICU's. Both are compressed, in base 85.
"""

from __future__ import annotations

SCRIPTS = (
    "c-rll>vJ4O5x}>5W_EUG_x2t--RVxchZN}~>n&NbBtIfK0og9QWIGOi#IBU9NYW4+$H5AfN99pY1(S+HLMW1;;$a||1gaps90GwD3W~pg6rb"
    "{e&wSt$@CAyVJv}UA#V#C|N!9gFJ99fT+uhsUGty~m(Jc-^5>y^4@Y`;sFndyhKncJ<0D`Y9Oh>6_@C~TpC<>VHTBRE(a3QiQpb91^!g1(`U"
    "^9y0(P$HjK}<p$0tDmDkO`7d+AEV-l;9y^4m9hP=<{dkfkaSPV7;!a&!L5%ReUc5X!b*=jR2pWsn07k{8=C*C5Bq_=Ow*%&gvCf#CkIZ!DS_"
    "q7XzSRg(8&7j-Y*kW|iQl^N<oA_fjJWHfywBA2wE9eS&@F3BZJ%Sr69T6c)M9h!%DYQ1ddEjd-p>5pI;w)@5xfXyG=Gidz>A%IbFLl-<zDLD"
    "v$y&eiN1>;viSU<+)9+jV@kFW)6$ird?<DvIuYbn&T@*eL>?039@=pAD@?7~YM>HLeYu55_&D`_!zdKqx~_XIMrR^vj|f2&}dtPD2R;UL9e2"
    "dY2p!Gh?2d6iFe5ecgw`^8_Sp;9VPJRZ}pcBu8o%HiB|;>_Uw%59(6EaekKwU1&m^r4SE502uIKLR3@j$r@{Mp%v2WgnXqCG@o<ku?n9af+4"
    "8RD_sx3q{ayHzJ}FQ_YD-`Q21Vvv&OaxzC=$-*l%+TccD;ya5to?onfj1GnKtVaPakuGyf9LiwS?YKYR3`*Kwa1N53~15XPPKX1&m@4gz!rP"
    "!e+hMq&jf{3uS$?JX+L5oBUF`uJTW$~}V|*w@0m9FZsR{+bSzDuVUJ)~Wey`WU8Wa6?aoDI3pQpa~?qdWQ2*<-HXc7{H2%wQ}*XUZXICA}{0"
    "e#i-*kB{%{8ZjKcU4Z!J=7)e5_?DR#e>QiNQRYtvghRf_kr|gtH-dF%HPWU<Fz3Q@!elBX(lmow7@%&-ds#KeRqJo)fi_GGn<PlrjB@~kDT3"
    "4&pZW;O;gwCPYq`Zulq29A&Vtr!0c6&Tit3WU33+H;g-u-Raygw()Nw|#@TF}NFhm6<lABAj?f&Q&=d2*Tqcat)%ymS|G71|WpO{RGB2=&|%"
    "Q048OIllpG9Ul*jn`oNSW<x6`W$NPQd-jFEn~!S>q0GBK^v$e?gBY}K_x6>hv=0LinUbio{%D7_&@XHTe9yQp_g#Fstgi4DBu5jlaNh%<g5S"
    "S01pXhly*;HXHql4R=$ct$*uiGi^ycAvcgiW9p0R2IjQ;64@Adlsfbxh)OYf{arV_%}To&@k-%U5(D$*Y6vfPxPUC4$9{KA<}z&3kK*+UFM4"
    "upoSTrM8>Z5$L104MuS?8MQtNd?J08qyd?=1&8H%T40RjS8GUU~1hi$#?0G?b`A?$(sbNKYZ}Sr>|S@>@i#)UlMyK*_4bI7)UF@CevdW^~-z"
    "0Bp(?`=rTW?Eb@WXFMZxy?!uqFgh+__@Q@C(p`7H%^>}4Y^doQwoCzc3Q&DNZptUa&dfk^{qRY7NcZ>(`<LPLmQvS=%3s64#)ZbFhr2<YvZk"
    "}9o^zozN=9<29{ohCj3(j6ge#qtAXPb8T@Z)haa&WU$-*~5%)`@y&xD1lmj@Pn@@?4gV)3K-m{FRxe>+u^FEvYN|x-u$me5C#d6Y{)ce?#P)"
    "Qi!VQukqNw8z*%`8q$!4G~{Yx{ty0OZAe2J(vXIHq@-{e%7Ms<Xz{YGMMoZZBx0Ik(21${_W!yLb`XPIbbt;#K~K<~Oa~#wYYZ6vo=9txx(d"
    "k;pz;CSauqtSOf#)TaTV=rP$Q>CEmx#_1*e<ZLW*(1Oh8x1WqL|fb*j|M^f}Z|12OrSR)?WFJv6+;7>&`UI{68jxSy5)x|Mlwnx^j{<};r4<"
    "v{{x1u8^dA!4`%g2G}+tciWZDew<JNe)}!GFqxGiW!XCNt&dBCS4D}X3KxSujf!Yh95{<Aj2(X*~2V<Va}1F3~|v?j=PK<v5ROO^YkalJ8j)"
    "4upfnutl=(tfHAwB-6!ZohUUnbqq#P^txnsM^yH~aO!I>gd+eT~Q*6Ux{U|K&fEZic^%`f72)z0m+FK_!9eb3aCF;{7tBA)qY;ox57=6lWDp"
    "NT@hiII}x6l^y*N@UD{ebxbeUsT2Gql1y&A<2py+Gf#9Hzs^={W6wo|q|G%`;!5N0^7`p~va*N9obW$a0W&SuW58_WWYZFX%1$HN8z+Ef3Sf"
    "^eXc?<{Z7k1^#vBwPn7<Ji7{b_OgNRGv8p&Gv8ra>8s4QVtzs|(M!Lf)%+^v$MhzBmtJ4wjhG*;;-{DJGkV(Y>U*iqHs)(|n!XbAd1mJ_Kc^"
    "!x3okqGa$Xl`;azTWS+1=dy-a78SghIQ-4HD%@tQeFmdRy)xyU=rS>}5&OJ#GtTxLA$(DjgBg%fY*{{TmQHKh"
)
